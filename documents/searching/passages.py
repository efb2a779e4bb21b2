"""Splits documents into passages, the units of search results. A passage is a section, or a part of a long section."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from documents.document import Document, DocumentSection
from documents.reading.texts import first_line

LONGEST: Final = 4_000


class Passage(NamedTuple):
    """A passage of a section.

    `above` lists the headings above the passage, outermost first; `start` is the number of the passage's first line.
    """

    above: tuple[str, ...]
    start: int
    line: int
    text: str


def passages_of(document: Document) -> Iterator[Passage]:
    """Yield all passages of a document, in order."""
    path: list[DocumentSection] = []
    for section in document.sections:
        path = [above for above in path if above.level < section.level]
        path += [section] if section.level else []
        above = tuple(one.heading for one in path)
        for line, text in _pieces(section):
            yield Passage(above, section.line, line, text)


def _pieces(section: DocumentSection) -> Iterator[tuple[int, str]]:
    """Split the text of a section at line ends. Lines that exceed the maximum length of a passage are split, too."""
    line, start, text = first_line(section), 0, section.text
    while True:
        end = _end(text, start)
        yield line, text[start:end]
        line += text.count("\n", start, end)
        start = end
        if start >= len(text):
            return


def _end(text: str, start: int) -> int:
    if len(text) - start <= LONGEST:
        return len(text)
    cut = text.rfind("\n", start, start + LONGEST)
    return cut + 1 if cut > start else start + LONGEST
