"""Merges two versions of a text line by line, and marks conflicts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Final, NamedTuple

_OURS: Final = b"<<<<<<< ours\n"
_BETWEEN: Final = b"=======\n"
_THEIRS: Final = b">>>>>>> theirs\n"

Lines = Sequence[bytes]


class Together(NamedTuple):
    content: bytes
    has_conflicts: bool


class _Change(NamedTuple):
    """A range of lines in the original text, and the lines that replace this range in each version."""

    before: Lines
    ours: Lines
    theirs: Lines


def together(before: bytes, ours: bytes, theirs: bytes) -> Together:
    parts: list[bytes] = []
    has_conflicts = False
    for region in _regions(*(text.splitlines(keepends=True) for text in (before, ours, theirs))):
        merged = _merge(region)
        has_conflicts = has_conflicts or merged is None
        parts += _marked(region) if merged is None else merged
    return Together(b"".join(parts), has_conflicts)


def _merge(region: _Change) -> Lines | None:
    """The merged lines of a range, or None if the two versions changed the range differently."""
    if region.ours in (region.theirs, region.before):
        return region.theirs
    return region.ours if region.theirs == region.before else None


def _marked(region: _Change) -> Iterator[bytes]:
    yield _OURS
    yield from _whole(region.ours)
    yield _BETWEEN
    yield from _whole(region.theirs)
    yield _THEIRS


def _whole(lines: Lines) -> Iterator[bytes]:
    """The lines, with a line feed at the end. The next conflict mark must start on its own line."""
    yield from lines
    if lines and not lines[-1].endswith((b"\n", b"\r")):
        yield b"\n"


def _regions(before: Lines, ours: Lines, theirs: Lines) -> Iterator[_Change]:
    """Yield all lines in order, as alternating ranges of changed and unchanged lines."""
    in_ours, in_theirs = _places(before, ours), _places(before, theirs)
    start = our_start = their_start = 0
    for line in (*sorted(in_ours.keys() & in_theirs.keys()), len(before)):
        our_end, their_end = in_ours.get(line, len(ours)), in_theirs.get(line, len(theirs))
        if line > start or our_end > our_start or their_end > their_start:
            yield _Change(before[start:line], ours[our_start:our_end], theirs[their_start:their_end])
        unchanged = before[line : line + 1]
        yield _Change(unchanged, unchanged, unchanged)
        start, our_start, their_start = line + 1, our_end + 1, their_end + 1


def _places(before: Lines, after: Lines) -> dict[int, int]:
    """Maps the old position of each unchanged line to its new position."""
    blocks = SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()
    return {block.a + place: block.b + place for block in blocks for place in range(block.size)}
