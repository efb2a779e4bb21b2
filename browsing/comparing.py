"""Compares two texts: line by line if either text has several lines, otherwise word by word."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from enum import StrEnum
from typing import Final

from browsing.texts import with_plain_ends
from changes.plain_names import in_brief, is_resource, name_in_words
from changes.preview import Edit, Fact

# The number of unchanged lines or words to show around a difference. Unchanged text farther away is folded.
_LINES_AROUND, _WORDS_AROUND = 3, 30
# The first limit applies to each compared text; the second limit applies to all comparisons on a page together. The
# time for a comparison grows with the product of the lengths of the two texts.
_MOST_OF_ONE: Final = 400
_MOST_COMPARISONS: Final = 1_000_000
_WORDS: Final = re.compile(r"\w+|\s+|[^\w\s]")


class Mark(StrEnum):
    SAME = "same"
    REMOVED = "removed"
    ADDED = "added"
    # The mark for unchanged text that is too long to show.
    FOLDED = "folded"


@dataclass(frozen=True, slots=True)
class Run:
    """Consecutive words or lines that all have the same mark, for example `ADDED`."""

    mark: Mark
    parts: Sequence[str]

    @property
    def text(self) -> str:
        return "".join(self.parts)


@dataclass(frozen=True, slots=True)
class ComparedEdit:
    """An edit as the page shows it: a comparison line by line, or the old words and the new words. A missing value is
    `None`.
    """

    path: str
    # The readable name of the edited property.
    name: str
    by_lines: bool
    lines: Sequence[Run] = ()
    before: Sequence[Run] | None = None
    after: Sequence[Run] | None = None
    # A short description. If the edit creates or deletes a resource, the page shows this text instead of the whole
    # resource.
    brief: str = ""


@dataclass
class Comparing:
    """Compares all edits of one page. The limit on comparisons applies to the whole page."""

    _left: int = field(default=_MOST_COMPARISONS, init=False)

    def compared(self, edit: Edit) -> ComparedEdit:
        before, after = _with_plain_ends(text_of(edit.before), text_of(edit.after))
        name = name_in_words(edit.path)
        if "\n" in (before or "") or "\n" in (after or ""):
            return ComparedEdit(
                edit.path, name, by_lines=True, lines=self._runs(_lines(before), _lines(after), _LINES_AROUND)
            )
        runs = self._runs(_WORDS.findall(before or ""), _WORDS.findall(after or ""), _WORDS_AROUND)
        return ComparedEdit(
            edit.path,
            name,
            by_lines=False,
            before=None if before is None else [run for run in runs if run.mark is not Mark.ADDED],
            after=None if after is None else [run for run in runs if run.mark is not Mark.REMOVED],
            brief=in_brief(before or after or "") if is_resource(edit.path) and None in {before, after} else "",
        )

    def _runs(self, before: Sequence[str], after: Sequence[str], around: int) -> list[Run]:
        first = _shared(before, after)
        last = _shared(before[first:][::-1], after[first:][::-1])
        middle = self._differing(before[first : len(before) - last], after[first : len(after) - last])
        runs = [Run(Mark.SAME, before[:first]), *middle, Run(Mark.SAME, before[len(before) - last :])]
        return list(_folded([run for run in runs if run.parts], around))

    def _differing(self, before: Sequence[str], after: Sequence[str]) -> list[Run]:
        size = len(before) * len(after)
        if max(len(before), len(after)) > _MOST_OF_ONE or size > self._left:
            return [Run(Mark.REMOVED, before), Run(Mark.ADDED, after)]
        self._left -= size
        return list(_matched(before, after))


def text_of(value: Fact) -> str | None:
    """Convert a value to text. Each entry of a list becomes one line."""
    if value is None:
        return None
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "\n".join(value) if isinstance(value, list | tuple) else str(value)


def _with_plain_ends(*texts: str | None) -> list[str | None]:
    """Replace Windows line ends, unless one of the texts contains other line ends."""
    if all(with_plain_ends(text) != text for text in texts if text and "\n" in text):
        return [text and with_plain_ends(text) for text in texts]
    return list(texts)


def _lines(text: str | None) -> Sequence[str]:
    # Split only at line feeds. Other line separators are shown, because they could hide a change.
    return text.split("\n") if text else []


def _shared(one: Sequence[str], another: Sequence[str]) -> int:
    """The length of the common prefix of two sequences."""
    pairs = zip(one, another, strict=False)
    return next((index for index, (a, b) in enumerate(pairs) if a != b), min(len(one), len(another)))


def _matched(before: Sequence[str], after: Sequence[str]) -> Iterator[Run]:
    for _, begin, end, new_begin, new_end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if before[begin:end] == after[new_begin:new_end]:
            yield Run(Mark.SAME, before[begin:end])
        else:
            yield Run(Mark.REMOVED, before[begin:end])
            yield Run(Mark.ADDED, after[new_begin:new_end])


def _folded(runs: Sequence[Run], around: int) -> Iterator[Run]:
    """Fold unchanged words or lines that are far from a difference."""
    for index, run in enumerate(runs):
        head = 0 if index == 0 else around
        tail = 0 if index == len(runs) - 1 else around
        if run.mark is not Mark.SAME or len(run.parts) <= head + tail + around:
            yield run
            continue
        cut = len(run.parts) - tail
        yield from (piece for piece in _pieces(run.parts, head, cut) if piece.parts)


def _pieces(parts: Sequence[str], head: int, cut: int) -> Iterator[Run]:
    yield Run(Mark.SAME, parts[:head])
    yield Run(Mark.FOLDED, parts[head:cut])
    yield Run(Mark.SAME, parts[cut:])
