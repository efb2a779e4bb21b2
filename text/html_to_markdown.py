"""Converts HTML to Markdown block by block. The result contains all visible content, and the position of each block in
the HTML.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Final
from urllib.parse import quote

from invisible import with_joiners_only
from text.html_tree import HtmlNode, tree_of

_MARKS: Final = {"b": "**", "strong": "**", "i": "*", "em": "*", "s": "~~", "strike": "~~", "del": "~~"}
_STYLES: Final = (
    (re.compile(r"font-weight\s*:\s*(?:bold|[6-9]00)", re.IGNORECASE), "**"),
    (re.compile(r"font-style\s*:\s*italic", re.IGNORECASE), "*"),
    (re.compile(r"text-decoration[\w-]{0,20}\s{0,20}:[^;]{0,200}line-through", re.IGNORECASE), "~~"),
)
_SPECIAL: Final = re.compile(
    r"[\\`]|\*(?=\S)|(?<=\S)\*|(?<!\w)_(?=\S)|(?<=\S)_(?!\w)|~~|\[(?=[^\[\]]*\]\()|<(?=[a-z/!?])", re.IGNORECASE
)
_BEGINNING: Final = re.compile(
    r"^(?:(#{1,6}|[-+*>])(?=\s|$)|(\d{1,9})([.)])(?=\s|$)|([-=]{3,}|~{3,})$|(>))", re.MULTILINE
)
_BRACKET: Final = re.compile(r"(?<!\\)[\[\]]")
_ADDRESS: Final = re.compile(r"(?:https?://|mailto:|/(?!/)|#.)", re.IGNORECASE)
_SAFE_IN_LINK: Final = "!#$%&'*+,-./:;=?@_~"
_WHOLE: Final = frozenset("blockquote h1 h2 h3 h4 h5 h6 hr ol p pre table ul".split())
_GAPS: Final = re.compile(
    r"(?P<code>^(?P<fence>`{3,})[^\n]*+(?:\n(?!(?P=fence)$).*+)*+(?:\n(?P=fence)$)?)|\n{2,}", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class ShownBlock:
    """A Markdown block, and the position of its HTML."""

    markdown: str
    start: int
    end: int


def shown_blocks(html: str) -> list[ShownBlock]:
    """The visible blocks, in order. The HTML between these blocks is invisible."""
    return [shown for shown in _visible(tree_of(html)) if shown.markdown]


def faithful_markdown(html: str) -> str:
    return "\n\n".join(shown.markdown for shown in shown_blocks(html))


def _visible(node: HtmlNode) -> Iterator[ShownBlock]:
    """Yield the visible blocks, including the blocks inside other blocks. Text between blocks becomes a paragraph."""
    for part in _parts(node.children):
        if isinstance(part, list):
            yield ShownBlock(_paragraph(part), part[0].start, part[-1].end)
        elif _is_walked_through(part):
            yield from _visible(part)
        else:
            yield ShownBlock(_block(part), part.start, part.end)


def _is_walked_through(node: HtmlNode) -> bool:
    if node.name in _WHOLE:
        return False
    return node.has_blocks or len(list(_runs(node.children))) > 1


def _parts(nodes: Iterable[HtmlNode]) -> Iterator[HtmlNode | list[HtmlNode]]:
    """Yield each block, and each sequence of inline nodes that ends at a block or at two consecutive line breaks."""
    run: list[HtmlNode] = []
    for node in nodes:
        if node.is_block or node.has_blocks:
            yield from _runs(run)
            run = []
            yield node
        else:
            run.append(node)
    yield from _runs(run)


def _runs(nodes: list[HtmlNode]) -> Iterator[list[HtmlNode]]:
    visible = [node for node in nodes if node.name or node.text.strip()]
    breaks = {id(node) for one, two in pairwise(visible) if one.name == two.name == "br" for node in (one, two)}
    run: list[HtmlNode] = []
    for node in nodes:
        if id(node) in breaks:
            if run:
                yield run
            run = []
        else:
            run.append(node)
    if run:
        yield run


def _block(node: HtmlNode) -> str:
    if node.name in _FORMS:
        return _FORMS[node.name](node)
    return _blocks(node) if node.has_blocks else _paragraph(node.children)


def _quote(node: HtmlNode) -> str:
    markdown = _blocks(node)
    return "\n".join(f"> {line}".rstrip() for line in markdown.split("\n")) if markdown else ""


def _heading(node: HtmlNode) -> str:
    words = " ".join(_inline(node.children).split())
    return f"{'#' * int(node.name[1])} {words}" if words else ""


def _blocks(node: HtmlNode) -> str:
    """Convert the content of a block to Markdown."""
    return "\n\n".join(shown.markdown for shown in _visible(node) if shown.markdown)


def _paragraph(nodes: list[HtmlNode]) -> str:
    lines = [" ".join(line.split()) for line in _inline(nodes).split("\n")]
    return _BEGINNING.sub(_escaped_beginning, "\n".join(lines).strip("\n"))


def _escaped_beginning(found: re.Match[str]) -> str:
    return f"{found[2]}\\{found[3]}" if found[2] else f"\\{found[0]}"


def _code_block(node: HtmlNode) -> str:
    code = "".join("\n" if text.name else text.text for text in node.all_text()).strip("\n")
    fence = "`" * max(3, 1 + max(map(len, re.findall(r"`+", code)), default=0))
    language = re.search(r"language-([\w+#-]+)", "".join(child.raw for child in (node, *node.children)))
    return f"{fence}{language[1] if language else ''}\n{code}\n{fence}" if code.strip() else ""


def _list(node: HtmlNode) -> str:
    items = [child for child in node.children if child.name or child.text.strip()]
    numbered = node.name == "ol"
    written: list[str] = []
    for item in items:
        mark = f"{len(written) + 1}. " if numbered else "- "
        content = _tight(_blocks(item) if item.is_block and item.has_blocks else _paragraph(item.children or [item]))
        if item.name in {"ul", "ol"} and content:  # the inner list is a direct child of the outer list
            written.append("  " + _indented(content, 2))
        elif content:
            written.append(mark + _indented(content, len(mark)))
    return "\n".join(written)


def _indented(text: str, width: int) -> str:
    """Indent all lines except the first line and empty lines."""
    return re.sub(r"\n(?=[^\n])", "\n" + " " * width, text)


def _tight(markdown: str) -> str:
    """Remove empty lines outside code, because empty lines would end the surrounding list."""
    return _GAPS.sub(lambda found: found["code"] or "\n", markdown)


def _table(node: HtmlNode) -> str:
    cells = [row for row in map(_cells, _rows(node)) if row]
    if len(cells) == 1 and len(cells[0]) == 1:  # a table with a single cell is used only for layout
        return _blocks(cells[0][0])
    rows = [[_cell(cell) for cell in row] for row in cells]
    if not any(any(row) for row in rows):
        return ""
    width = max(map(len, rows))
    lines = [f"| {' | '.join(row + [''] * (width - len(row)))} |" for row in rows]
    return "\n".join([lines[0], "|" + " --- |" * width, *lines[1:]])


def _cells(row: HtmlNode) -> list[HtmlNode]:
    return [child for child in row.children if child.name in {"td", "th"}]


def _rows(node: HtmlNode) -> Iterator[HtmlNode]:
    for child in node.children:
        if child.name == "tr":
            yield child
        elif child.name in {"tbody", "thead", "tfoot"}:
            yield from _rows(child)


def _cell(node: HtmlNode) -> str:
    content = _blocks(node) if node.has_blocks else _paragraph(node.children)
    return re.sub(r"\n+", "<br>", content).replace("|", "\\|")


def _inline(nodes: Iterable[HtmlNode], inside: str = "") -> str:
    return "".join(_piece(node, inside) for node in nodes)


def _piece(node: HtmlNode, inside: str) -> str:
    match node.name:
        case "":
            return _escaped(node) if not node.children else _inline(node.children, inside)
        case "br":
            return "\n"
        case "img":
            return _image(node)
        case "a":
            return _link(node, inside)
        case "code" | "tt" | "kbd" | "samp":
            return _code(node)
    inner = _inline(node.children, inside + "".join(_marks(node)))
    for mark in _marks(node):
        inner = _marked(inner, mark) if mark not in _split(inside) else inner
    return f"\n{inner}\n" if node.is_block else inner


def _split(inside: str) -> list[str]:
    return re.findall(r"\*\*|\*|~~", inside)


def _marks(node: HtmlNode) -> list[str]:
    if node.name in _MARKS:
        return [_MARKS[node.name]]
    style = node.attribute("style") if node.name == "span" else ""
    return [mark for pattern, mark in _STYLES if pattern.search(style)]


def _marked(inner: str, mark: str) -> str:
    """Put a marker before and after the words of each line. Leading and trailing spaces stay outside the markers."""
    lines = []
    for line in inner.split("\n"):
        words = line.strip()
        before, after = line[: len(line) - len(line.lstrip())], line[len(line.rstrip()) :]
        lines.append(f"{before}{mark}{words}{mark}{after}" if words else line)
    return "\n".join(lines)


def _escaped(node: HtmlNode) -> str:
    text = with_joiners_only(node.text)
    return _SPECIAL.sub(r"\\\g<0>", re.sub(r"\s+", " ", text))


def _code(node: HtmlNode) -> str:
    code = " ".join("".join(text.text for text in node.all_text()).split())
    fence = "`" * (1 + max(map(len, re.findall(r"`+", code)), default=0))
    pad = " " if code.startswith("`") or code.endswith("`") else ""
    return f"{fence}{pad}{code}{pad}{fence}" if code else ""


def _link(node: HtmlNode, inside: str) -> str:
    label, address = _inline(node.children, inside), node.attribute("href").strip()
    if not label.strip() or not _ADDRESS.match(address):
        return label
    if label.replace("\\", "") == address.removeprefix("mailto:"):
        return address.removeprefix("mailto:") if address.startswith(("http", "mailto:")) else label
    words = _BRACKET.sub(r"\\\g<0>", " ".join(label.split()))
    return _around(label, f"[{words}]({_in_parentheses(address)})")


def _around(label: str, link: str) -> str:
    """Put a space before or after a link if the link's label starts or ends with whitespace."""
    return f"{' ' if label[0].isspace() else ''}{link}{' ' if label[-1].isspace() else ''}"


def _image(node: HtmlNode) -> str:
    address = node.attribute("src").strip()
    words = _BRACKET.sub(r"\\\g<0>", _SPECIAL.sub(r"\\\g<0>", " ".join(node.attribute("alt").split())))
    return f"![{words or 'image'}]({_in_parentheses(address) if _ADDRESS.match(address) else ''})"


def _in_parentheses(address: str) -> str:
    return quote(address, safe=_SAFE_IN_LINK, errors="replace")


_FORMS: Final[Mapping[str, Callable[[HtmlNode], str]]] = {
    "pre": _code_block,
    "ul": _list,
    "ol": _list,
    "table": _table,
    "blockquote": _quote,
    "hr": lambda _: "---",
    **{f"h{level}": _heading for level in range(1, 7)},
}
