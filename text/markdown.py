"""Converts untrusted HTML to short and safe Markdown."""

from __future__ import annotations

import re
from html import unescape

from invisible import INVISIBLE
from text.links import destination
from text.shortening import shortened

# Every alternative of the pattern stops at the next `<` or at the end of the text, so hostile text takes no longer than
# normal text. The parser in the standard library needs three seconds for 24 KB of `<a `, and takes four times as long
# as this pattern for normal text.
_MARKUP = re.compile(
    r"""
    <(?P<dropped>script|style)\b[^<>]*+> .*? (?:</(?P=dropped)\s*+> | \Z)
    | <!-- .*? (?:--> | \Z)
    | <(?P<closing>/?)(?P<name>[a-z][a-z0-9]*+) (?P<attributes>(?:[^<>"']++ | "[^"<]*+" | '[^'<]*+' | ["'])*+) >
    | <[!?/] [^<>]*+ >
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
# The most common tags. The converter removes these tags first, so that only a few others remain to be processed.
_DECORATION = re.compile(r"</?(?:span|font|b|i|u|em|strong|sup|sub|small)(?:\s[^<>]*+)?+>", re.IGNORECASE)
_HREF = re.compile(r"""(?<![\w-])href\s*+=\s*+(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE)
_LINK = re.compile(r"\[([^\[\]]*)\]\([^()\s]*\)")
# Matches a `<` that could start a tag. At the end of a piece, the pattern matches every `<`, because the next piece may
# start with a letter.
_LOOKS_LIKE_MARKUP = re.compile(r"<(?=[a-z/!?]|\Z)", re.IGNORECASE)
_TOO_LARGE_A_REFERENCE = re.compile(r"&#x?[0-9a-f]{8,}+;?", re.IGNORECASE)
_LINE_ENDS = re.compile(r"\n+")
_BRACKETS = str.maketrans("[]", "()")

_PARAGRAPHS = frozenset({"p", "div", "table", "blockquote", "pre", "section", "article", "hr", "dl"})
_LINES = frozenset({"br", "dt", "dd", "caption"})
_HEADINGS = {f"h{level}": "#" * level + " " for level in range(1, 7)}
_DEEPEST_INDENT = 6


def to_markdown(html: str) -> str:
    """Convert HTML to Markdown. Links, lists, headings and table rows are kept. Formatting and scripts are dropped."""
    page = _Page()
    parts = iter(_MARKUP.split(_DECORATION.sub("", html)))
    page.text(next(parts))
    for _, closing, name, attributes, text in zip(parts, parts, parts, parts, parts, strict=True):
        if name:
            page.tag(name.lower(), attributes, closing=bool(closing))
        page.text(text)
    page.end_link()
    return "".join(page.written)


def plain(markdown: str) -> str:
    """The text of a Markdown document, without the URLs of links."""
    return _LINK.sub(r"\1", markdown)


def summary(markdown: str, length: int = 300) -> str:
    """The first words of the text, up to `length` characters, with an ellipsis if words are missing."""
    text = plain(markdown)
    read = 2 * length  # one replacement is usually enough, because our Markdown has at most two consecutive line ends
    while len(start := _LINE_ENDS.sub("\n", text[:read])) <= length and read < len(text):
        read *= 2
    return shortened(start, length)


def _unescaped(raw: str) -> str:
    return unescape(_TOO_LARGE_A_REFERENCE.sub("", raw) if "&#" in raw else raw)


class _Page:
    """The Markdown document being written.

    Gaps (such as line breaks) and markers (such as bullets) are written only when text follows.
    """

    def __init__(self) -> None:
        self.written: list[str] = []
        self._gap = ""
        self._mark: str | None = None  # not None at the start of a line, where gaps are ignored
        self._lists: list[int | None] = []
        self._cells = 0
        self._link: tuple[int, str] | None = None

    def text(self, raw: str) -> None:
        if not raw:
            return
        # Replace this entity first, because it is far more frequent than all other entities. The resulting non-breaking
        # space is later replaced with an ordinary space.
        text = raw.replace("&nbsp;", " ") if "&" in raw else raw
        if "&" in text:
            text = _unescaped(text)
        if not text.isascii():
            text = INVISIBLE.sub("", text)
        if not text:
            return
        if text[0].isspace():
            self._space()
        if words := " ".join(text.split()):
            self._write(_LOOKS_LIKE_MARKUP.sub(r"\\<", words) if "<" in words else words)
            if text[-1].isspace():
                self._space()

    def tag(self, name: str, attributes: str, *, closing: bool) -> None:
        # Check the most frequent tags first.
        if name in _PARAGRAPHS:
            self._break("\n\n")
        elif name == "a":
            self._anchor(attributes, closing=closing)
        elif name in {"li", "tr"}:
            self._line(self._bullet() if name == "li" and not closing else "", closing=closing)
        elif name in _LINES:
            self._break("\n\n" if self._gap == "\n" else "\n")
        elif name in {"ul", "ol"}:
            self._list(numbered=name == "ol", closing=closing)
        elif name in {"td", "th"} and not closing:
            self._cell()
        elif name in _HEADINGS:
            self._start("\n\n", None if closing else _HEADINGS[name])

    def end_link(self) -> None:
        if self._link is None:
            return
        start, address = self._link
        self._link = None
        label = "".join(self.written[start:])
        if label and label != address.removeprefix("mailto:"):
            self.written[start:] = [f"[{label.translate(_BRACKETS)}]({address})"]

    def _anchor(self, attributes: str, *, closing: bool) -> None:
        self.end_link()
        match = None if closing else _HREF.search(attributes)
        address = match and destination(unescape(match[1] or match[2] or match[3] or ""))
        if address:
            self._link = (len(self.written), address)

    def _list(self, *, numbered: bool, closing: bool) -> None:
        outermost = len(self._lists) == (1 if closing else 0)
        self._start("\n\n" if outermost else "\n", None)
        if not closing:
            self._lists.append(0 if numbered else None)
        elif self._lists:
            self._lists.pop()

    def _line(self, mark: str, *, closing: bool) -> None:
        """Start or end a list item or a table row. Paragraphs inside an item are not separated by empty lines."""
        self._start("\n", None if closing else mark)
        if closing:
            self._gap = "\n"
        self._cells = 0

    def _bullet(self) -> str:
        indent = "  " * min(len(self._lists) - 1, _DEEPEST_INDENT)
        number = self._lists[-1] if self._lists else None
        if number is None:
            return indent + "- "
        self._lists[-1] = number + 1
        return f"{indent}{number + 1}. "

    def _cell(self) -> None:
        if self._cells:
            self._gap = " " if self._mark is None else self._gap
            self._mark = (self._mark or "") + "| "
        else:
            self._mark = self._mark or ""
        self._cells += 1

    def _start(self, gap: str, mark: str | None) -> None:
        """Start a new line. If there was no text after the previous marker, drop that marker."""
        self._mark = None
        self._break(gap)
        self._mark = mark

    def _break(self, gap: str) -> None:
        if self._mark is not None:
            return
        if self._link and len(self.written) > self._link[0]:
            self.end_link()  # end an unclosed link here, because otherwise it would include the rest of the document
        if self._gap != "\n\n":
            self._gap = gap

    def _space(self) -> None:
        if not self._gap and self._mark is None:
            self._gap = " "

    def _write(self, words: str) -> None:
        before_link = self._link is not None and self._link[0] == len(self.written)
        if self.written:
            self.written.append(self._gap)
        if self._mark:
            self.written.append(self._mark)
        if self._link and before_link:
            self._link = (len(self.written), self._link[1])
        self.written.append(words)
        self._gap, self._mark = "", None
