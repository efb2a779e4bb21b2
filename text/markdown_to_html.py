"""Converts Markdown to HTML. HTML in the text is escaped, except for line breaks in table cells."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from typing import Final

_FENCE: Final = re.compile(r"(\s*)(`{3,}|~{3,})\s*([\w+#-]*)[^`]*$")
_HEADING: Final = re.compile(r"(#{1,6})\s++((?:\S++|\s++(?!#*+\s*+$))*+)(?:\s++#++)?\s*+$")
_RULE: Final = re.compile(r"([-*_])(?:\s*\1){2,}\s*$")
_ITEM: Final = re.compile(r"(\s*)([-*+]|\d{1,9}[.)])(\s+|$)")
_DELIMITER: Final = re.compile(r"\|?\s*+:?-++:?\s*+(?:\|\s*+:?-++:?\s*+)*+\|?\s*$")
_CELL_END: Final = re.compile(r"(?<!\\)\|")
_LINE_BREAK: Final = re.compile(r"<br\s*/?>", re.IGNORECASE)
_DEEPEST: Final = 20

_TOKEN: Final = re.compile(
    r"""\\(?P<escaped>[!-/:-@\[-`{-~])
      | (?P<ticks>`+)
      | (?P<image>!?)\[(?P<label>(?:\\.|[^\[\]\\])*+)\]\((?P<address>[^()\s<>]*+)\)
      | <(?P<bare>https?://[^<>\s]++)>
      | (?P<break>\n|<br\s*/?>)
      | (?P<mark>\*\*|\*|~~|_)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_SAFE: Final = re.compile(r"https?://|mailto:|/(?!/)|#", re.IGNORECASE)
_ELEMENTS: Final = {"**": "strong", "*": "em", "_": "em", "~~": "s"}


def blocks_of(markdown: str) -> list[str]:
    """Split Markdown into blocks at empty lines, except at empty lines in code and in continued list items."""
    blocks: list[list[str]] = []
    fence, gap = "", True
    for line in markdown.replace("\r\n", "\n").split("\n"):
        goes_on = bool(fence) or (bool(blocks) and line[:1].isspace() and bool(_ITEM.match(blocks[-1][0])))
        fence = _fence_after(fence, line)
        if line.strip() or (goes_on and fence):
            if gap and not goes_on:
                blocks.append([])
            blocks[-1].append(line)
        gap = not line.strip() and not fence
    return ["\n".join(lines).rstrip() for lines in blocks]


def html_of(markdown: str) -> str:
    """Convert Markdown to HTML. A single paragraph has no `<p>`, as in the editors of web forms."""
    written = [_html(block) for block in blocks_of(markdown)]
    if len(written) == 1 and written[0].startswith("<p>"):
        return written[0].removeprefix("<p>").removesuffix("</p>")
    return "".join(written)


def html_of_block(block: str) -> str:
    return _html(block)


def _fence_after(fence: str, line: str) -> str:
    """The code fence that is open after this line, or an empty string if no code block is open."""
    found = _FENCE.match(line)
    if fence:
        closes = found and not found[3] and found[2][0] == fence[0] and len(found[2]) >= len(fence)
        return "" if closes else fence
    return found[2] if found else ""


def _html(text: str, depth: int = 0) -> str:
    return "".join(_written(text.split("\n"), depth))


def _written(lines: list[str], depth: int) -> Iterator[str]:
    position = 0
    while position < len(lines):
        for kind in (_code, _heading, _rule, _quote, _list, _table):
            html, after = kind(lines, position, depth)
            if after > position:
                break
        else:
            html, after = _paragraph(lines, position, depth)
        yield html
        position = after


def _code(lines: list[str], start: int, _: int) -> tuple[str, int]:
    fence = _fence_after("", lines[start])
    if not fence:
        return "", start
    end = start + 1
    while end < len(lines) and _fence_after(fence, lines[end]):
        end += 1
    opening = _FENCE.match(lines[start])
    language = opening[3] if opening else ""
    kind = f' class="language-{escape(language)}"' if language else ""
    code = escape("\n".join(lines[start + 1 : end]), quote=False)
    return f"<pre><code{kind}>{code}\n</code></pre>", end + 1


def _heading(lines: list[str], start: int, _: int) -> tuple[str, int]:
    found = _HEADING.match(lines[start])
    if not found:
        return "", start
    return f"<h{len(found[1])}>{inline_html(found[2])}</h{len(found[1])}>", start + 1


def _rule(lines: list[str], start: int, _: int) -> tuple[str, int]:
    return ("<hr>", start + 1) if _RULE.match(lines[start]) else ("", start)


def _quote(lines: list[str], start: int, depth: int) -> tuple[str, int]:
    end = start
    while end < len(lines) and lines[end].startswith(">") and depth < _DEEPEST:
        end += 1
    inner = "\n".join(line[1:].removeprefix(" ") for line in lines[start:end])
    return f"<blockquote>{''.join(_html(block, depth + 1) for block in blocks_of(inner))}</blockquote>", end


def _list(lines: list[str], start: int, depth: int) -> tuple[str, int]:
    first = _ITEM.match(lines[start])
    if not first or depth >= _DEEPEST:
        return "", start
    numbered = first[2][0].isdecimal()
    items: list[list[str]] = []
    end = start
    while end < len(lines):
        found = _ITEM.match(lines[end])
        if found and len(found[1]) <= len(first[1]) + 1:
            if found[2][0].isdecimal() is not numbered:
                break
            items.append([lines[end][found.end() :]])
        elif not items or (lines[end].strip() and not lines[end][:1].isspace()):
            break
        else:
            items[-1].append(lines[end])
        end += 1
    element = "ol" if numbered else "ul"
    return f"<{element}>{''.join(_item(item, depth) for item in items)}</{element}>", end


def _item(lines: list[str], depth: int) -> str:
    rest = [line for line in lines[1:] if line.strip()]
    indent = min((len(line) - len(line.lstrip()) for line in rest), default=0)
    html = _html("\n".join([lines[0], *(line[indent:] for line in lines[1:])]), depth + 1)
    first, closing, after = html.partition("</p>")
    is_plain = closing and first.startswith("<p>") and "<p>" not in after
    return f"<li>{first.removeprefix('<p>') + after if is_plain else html}</li>"


def _table(lines: list[str], start: int, _: int) -> tuple[str, int]:
    has_head = start + 1 < len(lines) and "|" in lines[start] and "|" in lines[start + 1]
    if not has_head or not _DELIMITER.match(lines[start + 1].strip()):
        return "", start
    end = start + 2
    while end < len(lines) and "|" in lines[end]:
        end += 1
    rows = [_row(lines[start], "th"), *(_row(line, "td") for line in lines[start + 2 : end])]
    return f"<table>{''.join(rows)}</table>", end


def _row(line: str, element: str) -> str:
    line = line.strip().removeprefix("|")
    cells = _CELL_END.split(line[:-1] if line.endswith("|") and not line.endswith("\\|") else line)
    return f"<tr>{''.join(f'<{element}>{inline_html(_bars(cell))}</{element}>' for cell in cells)}</tr>"


def _bars(cell: str) -> str:
    """Unescape the vertical bars in a table cell, even in code, because Markdown tables require all of them to be
    escaped.
    """
    return cell.strip().replace("\\|", "|")


def _paragraph(lines: list[str], start: int, depth: int) -> tuple[str, int]:
    """Join lines into a paragraph until the next block starts. The first line always belongs to the paragraph."""
    end = start + 1
    while end < len(lines) and lines[end].strip() and not _begins_something(lines, end, depth):
        end += 1
    text = "\n".join(line.strip() for line in lines[start:end])
    return (f"<p>{inline_html(text)}</p>" if text else ""), end


def _begins_something(lines: list[str], position: int, depth: int) -> bool:
    line = lines[position]
    if _fence_after("", line) or _HEADING.match(line) or _RULE.match(line):
        return True
    return depth < _DEEPEST and (line.startswith(">") or bool(_ITEM.match(line)))


def inline_html(text: str) -> str:
    """Convert inline Markdown: emphasis, code, links and images."""
    return "".join(_Words(text).pieces)


class _Words:
    """Converts inline Markdown to pieces of HTML. A marker without a closing marker remains text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.pieces: list[str] = []
        self._open: dict[str, int] = {}
        self._last_ticks = {found[0]: found.start() for found in re.finditer(r"`+", text)}
        position = 0
        while found := _TOKEN.search(text, position):
            self._plain(text[position : found.start()])
            position = self._append_token(found)
        self._plain(text[position:])

    def _plain(self, text: str) -> None:
        if text:
            self.pieces.append(escape(text, quote=False))

    def _append_token(self, found: re.Match[str]) -> int:
        """Append the HTML of a token, and return the position after it."""
        if found["ticks"]:
            return self._code(found)
        if found["mark"]:
            self._mark(found)
        elif found["break"]:
            self.pieces.append("<br>")
        elif found["escaped"]:
            self._plain(found["escaped"])
        elif found["bare"]:
            address = escape(found["bare"])
            self.pieces.append(f'<a href="{address}">{address}</a>')
        else:
            self.pieces.append(_link(found))
        return found.end()

    def _code(self, found: re.Match[str]) -> int:
        ticks = found["ticks"]
        if self._last_ticks[ticks] <= found.start():  # no later marker closes the code span
            self._plain(ticks)
            return found.end()
        closing = re.compile(rf"(?<!`){ticks}(?!`)").search(self._text, found.end())
        end = closing.start() if closing else found.end()
        code = self._text[found.end() : end]
        code = code[1:-1] if code.startswith(" `") or code.endswith("` ") else code
        self.pieces.append(f"<code>{escape(code, quote=False)}</code>")
        return closing.end() if closing else end

    def _mark(self, found: re.Match[str]) -> None:
        mark, text = found["mark"], self._text
        before, after = text[max(found.start() - 1, 0) : found.start()], text[found.end() : found.end() + 1]
        within_a_word = mark == "_" and (before.isalnum() and after.isalnum())
        if mark in self._open and before.strip() and not within_a_word:
            start = self._open[mark]
            self.pieces[start] = f"<{_ELEMENTS[mark]}>"
            self.pieces.append(f"</{_ELEMENTS[mark]}>")
            # HTML elements must not overlap, so a marker that is still open inside this element remains text.
            self._open = {name: place for name, place in self._open.items() if place < start}
            return
        if after.strip() and not within_a_word:
            self._open[mark] = len(self.pieces)
        self._plain(mark)


def _link(found: re.Match[str]) -> str:
    address = found["address"]
    label = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", found["label"])
    if found["image"]:
        source = f' src="{escape(address)}"' if _SAFE.match(address) else ""
        return f'<img{source} alt="{escape(label)}">'
    words = inline_html(found["label"])
    return f'<a href="{escape(address)}">{words}</a>' if _SAFE.match(address) else words
