"""Parses HTML into a tree with source positions, in linear time for every input."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import unescape
from typing import Final

# Each alternative of the pattern stops at the next `<` or at the end of the text, so a hostile text takes no longer
# than a normal text.
_MARKUP: Final = re.compile(
    r"""
    <(?P<dropped>script|style)\b[^<>]*+> .*? (?:</(?P=dropped)\s*+> | \Z)
    | <!-- .*? (?:--> | \Z)
    | <(?P<closing>/?)(?P<name>[a-z][a-z0-9]*+) (?P<attributes>(?:[^<>"']++ | "[^"<]*+" | '[^'<]*+' | ["'])*+) >
    | <[!?/] [^<>]*+ >
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_TOO_LARGE_A_REFERENCE: Final = re.compile(r"&#x?[0-9a-f]{8,}+;?", re.IGNORECASE)
_ATTRIBUTE: Final = re.compile(r"""(?<![\w-])([a-z-]++)\s*+=\s*+(?:"([^"]*)"|'([^']*)'|([^\s"'>]++))""", re.IGNORECASE)

BLOCKS: Final = frozenset(
    "address article aside blockquote center dd div dl dt h1 h2 h3 h4 h5 h6 hr li main ol p pre section table tbody td"
    " tfoot th thead tr ul".split()
)
_EMPTY: Final = frozenset({"br", "hr", "img", "input", "col", "wbr"})
# For each tag: the elements that it closes if they are still open, and the outer elements at which the search for open
# elements ends.
_ENDED: Final = {
    "li": (frozenset({"li"}), frozenset({"ul", "ol"})),
    "tr": (frozenset({"tr"}), frozenset({"table"})),
    "td": (frozenset({"td", "th"}), frozenset({"table", "tr"})),
    "th": (frozenset({"td", "th"}), frozenset({"table", "tr"})),
    "dt": (frozenset({"dt", "dd"}), frozenset({"dl"})),
    "dd": (frozenset({"dt", "dd"}), frozenset({"dl"})),
}
# The maximum depth: deeper than any real document, but not too deep for recursion. Deeper elements are flattened.
_DEEPEST: Final = 60


@dataclass(slots=True)
class HtmlNode:
    """An element, or a text node (without a name). `start` and `end` are the node's position in the HTML."""

    name: str
    start: int
    end: int
    raw: str = ""  # the attributes of an element, or the source of a text node
    children: list[HtmlNode] = field(default_factory=list)
    has_blocks: bool = False

    @property
    def is_block(self) -> bool:
        return self.name in BLOCKS

    @property
    def text(self) -> str:
        return unescape(_TOO_LARGE_A_REFERENCE.sub("", self.raw)) if "&" in self.raw else self.raw

    def attribute(self, name: str) -> str:
        for found in _ATTRIBUTE.finditer(self.raw):
            if found[1].lower() == name:
                return unescape(found[2] or found[3] or found[4] or "")
        return ""

    def all_text(self) -> Iterator[HtmlNode]:
        """Yield all text nodes and line breaks inside this element."""
        if self.name in {"", "br"}:
            yield self
        for child in self.children:
            yield from child.all_text()


def tree_of(html: str) -> HtmlNode:
    """Parse HTML, and return the root of the tree, which has no name."""
    growing = _Growing(html)
    for markup in _MARKUP.finditer(html):
        growing.reach(markup)
    return growing.whole()


class _Growing:
    def __init__(self, html: str) -> None:
        self._html = html
        self._position = 0
        self._open = [HtmlNode("", 0, len(html))]

    def reach(self, markup: re.Match[str]) -> None:
        self._text(markup.start())
        self._position = markup.end()
        name = (markup["name"] or "").lower()
        if name and markup["closing"]:
            self._close(name, markup.end())
        elif name:
            self._start(name, markup)

    def whole(self) -> HtmlNode:
        self._text(len(self._html))
        for node in self._open:
            node.end = len(self._html)
        return self._open[0]

    def _text(self, end: int) -> None:
        if end > self._position:
            self._open[-1].children.append(HtmlNode("", self._position, end, self._html[self._position : end]))

    def _start(self, name: str, markup: re.Match[str]) -> None:
        self._end_what_cannot_go_on(name, markup.start())
        if name in BLOCKS:
            for above in self._open:
                above.has_blocks = True
        node = HtmlNode(name, markup.start(), markup.end(), markup["attributes"])
        if name in _EMPTY or len(self._open) <= _DEEPEST:
            self._open[-1].children.append(node)
        if name not in _EMPTY and len(self._open) <= _DEEPEST:
            self._open.append(node)

    def _end_what_cannot_go_on(self, name: str, position: int) -> None:
        ended, until = _ENDED.get(name, (frozenset[str](), frozenset[str]()))
        if name in BLOCKS:
            ended, until = ended | {"p"}, until | (BLOCKS - ended - {"p"})
        for index in range(len(self._open) - 1, 0, -1):
            if self._open[index].name in ended:
                self._cut(index, position)
            elif self._open[index].name in until:
                return

    def _close(self, name: str, position: int) -> None:
        for index in range(len(self._open) - 1, 0, -1):
            if self._open[index].name == name:
                self._cut(index, position)
                return

    def _cut(self, index: int, position: int) -> None:
        for node in self._open[index:]:
            node.end = position
        del self._open[index:]
