"""Converts edited Markdown back to HTML. The HTML of unchanged blocks stays the same byte for byte."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

from text.html_to_markdown import ShownBlock, shown_blocks
from text.markdown_to_html import blocks_of, html_of, html_of_block

# The maximum product of the number of old blocks and the number of new blocks. If the product is larger, blocks are not
# compared, and the whole text is converted.
_MOST_COMPARED: Final = 1_000_000


def edited(html: str, markdown: str) -> str:
    """Return the new HTML of a text, after a user edited the Markdown form of this text."""
    shown = shown_blocks(html)
    if not shown:
        return html_of(markdown)
    before, after = [blocks_of(block.markdown) for block in shown], blocks_of(markdown)
    if [part for parts in before for part in parts] == after:
        return html
    return "".join(_pieces(html, shown, list(_unchanged_blocks(before, after)), after))


@dataclass(frozen=True, slots=True)
class _UnchangedBlock:
    """An unchanged block of the old HTML, and the range of blocks in the new Markdown that correspond to this block."""

    index: int
    start: int
    end: int


def _unchanged_blocks(before: list[list[str]], after: list[str]) -> Iterator[_UnchangedBlock]:
    """Find the HTML blocks that did not change.

    An HTML block can become several Markdown blocks. The HTML block counts as unchanged if the new Markdown contains
    all of these Markdown blocks in sequence.
    """
    places = _places([part for parts in before for part in parts], after)
    first = 0
    for index, parts in enumerate(before):
        found = [places.get(first + step) for step in range(len(parts))]
        first += len(parts)
        if found and found[0] is not None and found == list(range(found[0], found[0] + len(parts))):
            yield _UnchangedBlock(index, found[0], found[0] + len(parts))


def _places(before: list[str], after: list[str]) -> dict[int, int]:
    """Find the new positions of the old blocks. Blocks at the start and at the end are matched first."""
    shorter = min(len(before), len(after))
    head = next((at for at in range(shorter) if before[at] != after[at]), shorter)
    rest = shorter - head
    tail = next((at for at in range(rest) if before[-1 - at] != after[-1 - at]), rest)
    places = {at: at for at in range(head)}
    places |= {len(before) - 1 - at: len(after) - 1 - at for at in range(tail)}
    old, new = before[head : len(before) - tail], after[head : len(after) - tail]
    if len(old) * len(new) <= _MOST_COMPARED:
        for match in SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks():
            places |= {head + match.a + step: head + match.b + step for step in range(match.size)}
    return places


def _pieces(html: str, shown: list[ShownBlock], unchanged: list[_UnchangedBlock], after: list[str]) -> Iterator[str]:
    """Yield the parts of the new HTML in order: unchanged blocks, new blocks, and the old HTML between blocks."""
    coming = deque(unchanged)
    position = written = 0
    for index, block in enumerate(shown):
        yield html[position : block.start]
        position = block.end
        end = coming[0].start if coming else len(after)
        yield from map(html_of_block, after[written:end])
        written = max(written, end)
        if coming and coming[0].index == index:
            yield html[block.start : block.end]
            written = coming.popleft().end
    yield from map(html_of_block, after[written:])
    yield html[position:]
