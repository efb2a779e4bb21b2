"""A document as numbered passages that a summary can cite."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from documents.document import Document, DocumentSection
from documents.summarizing.prose import blocks
from shifts import give_way

_FRONT_MATTER: Final = re.compile(r"\A---\n.*?\n---\s*(?:\n|\Z)", re.DOTALL)
MOST_PASSAGES: Final = 100
LONGEST_HEADING: Final = 200


@dataclass(frozen=True, slots=True)
class TextPosition:
    """A position in the document: the heading, and its line."""

    heading: str
    line: int

    @classmethod
    def of(cls, section: DocumentSection) -> TextPosition:
        return cls(section.heading[:LONGEST_HEADING], section.line)


@dataclass(frozen=True, slots=True)
class NumberedPassage:
    number: int
    place: TextPosition
    text: str


def prose_of(document: Document) -> Iterator[tuple[DocumentSection, list[str]]]:
    """The paragraphs and list items of each section, without front matter."""
    for number, section in enumerate(document.sections):
        give_way()
        yield section, list(blocks(section.text if number else _FRONT_MATTER.sub("", section.text)))


def passages(document: Document, most_letters: int) -> list[NumberedPassage]:
    """The text below each heading, within this many characters in total. Long texts are shortened; none is omitted.

    If there are too many headings, only the first ones are used.
    """
    told = [(section, "\n".join(prose)) for section, prose in prose_of(document) if prose][:MOST_PASSAGES]
    each = _share([len(text) for _, text in told], most_letters)
    return [
        NumberedPassage(number, TextPosition.of(section), text[:each]) for number, (section, text) in enumerate(told, 1)
    ]


def _share(lengths: Sequence[int], most: int) -> int:
    """The character limit per text. Short texts leave their unused share to the others."""
    share = most
    left, needing = most, len(lengths)
    for length in sorted(lengths):
        share = left // needing
        if length > share:
            return share
        left, needing = left - length, needing - 1
    return max(share, *lengths, 0) if lengths else 0


def written_out(told: Iterable[NumberedPassage]) -> str:
    return "\n\n".join(f"[{passage.number}] {passage.place.heading}\n{passage.text}" for passage in told)
