"""Splits a document into numbered passages that a summary can cite."""

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
    """The heading of a section in a document, and its line number."""

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
    """Yield each section with its paragraphs and list items. Front matter is skipped."""
    for number, section in enumerate(document.sections):
        give_way()
        yield section, list(blocks(section.text if number else _FRONT_MATTER.sub("", section.text)))


def passages(document: Document, most_letters: int) -> list[NumberedPassage]:
    """Return the text below each heading. The texts together have at most `most_letters` characters.

    Long texts are shortened instead of omitted.

    If there are too many headings, only the first headings are used.
    """
    texts = [(section, "\n".join(prose)) for section, prose in prose_of(document) if prose][:MOST_PASSAGES]
    each = _share([len(text) for _, text in texts], most_letters)
    return [
        NumberedPassage(number, TextPosition.of(section), text[:each])
        for number, (section, text) in enumerate(texts, 1)
    ]


def _share(lengths: Sequence[int], most: int) -> int:
    """Compute the maximum length of each text, so that the texts together have at most `most` characters. Space that
    short texts do not use is divided among the longer texts.
    """
    share = most
    left, needing = most, len(lengths)
    for length in sorted(lengths):
        share = left // needing
        if length > share:
            return share
        left, needing = left - length, needing - 1
    return max(share, *lengths, 0) if lengths else 0


def written_out(numbered: Iterable[NumberedPassage]) -> str:
    return "\n\n".join(f"[{passage.number}] {passage.place.heading}\n{passage.text}" for passage in numbered)
