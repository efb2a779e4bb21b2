"""Editing HTML by its Markdown: what was not changed stays as it was, to the byte."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

from text.html_to_markdown import ShownBlock, shown_blocks
from text.markdown_to_html import blocks_of, html_of, html_of_block

# Pairs of blocks. A text in which more than that changed is written anew.
_MOST_COMPARED: Final = 1_000_000


def edited(html: str, markdown: str) -> str:
    """The HTML of a text that was shown as Markdown and came back changed."""
    shown = shown_blocks(html)
    if not shown:
        return html_of(markdown)
    before, after = [blocks_of(block.markdown) for block in shown], blocks_of(markdown)
    if [part for parts in before for part in parts] == after:
        return html
    return "".join(_pieces(html, shown, list(_kept(before, after)), after))


@dataclass(frozen=True, slots=True)
class _Kept:
    """A block of before that is, as these blocks of the new text, as it was."""

    index: int
    start: int
    end: int


def _kept(before: list[list[str]], after: list[str]) -> Iterator[_Kept]:
    """What is shown as one block may be several of Markdown: it is kept where all of them are there, in a row."""
    places = _places([part for parts in before for part in parts], after)
    first = 0
    for index, parts in enumerate(before):
        found = [places.get(first + step) for step in range(len(parts))]
        first += len(parts)
        if found and found[0] is not None and found == list(range(found[0], found[0] + len(parts))):
            yield _Kept(index, found[0], found[0] + len(parts))


def _places(before: list[str], after: list[str]) -> dict[int, int]:
    """Where blocks of before are now: those at both ends first, and what is between by comparing all with all."""
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


def _pieces(html: str, shown: list[ShownBlock], kept: list[_Kept], after: list[str]) -> Iterator[str]:
    """The HTML with each new block where the one that it follows is, and all between the blocks as it was."""
    coming = deque(kept)
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
