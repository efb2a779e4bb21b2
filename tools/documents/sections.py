"""Selects a part of a document: a range of lines, or a section."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Final

from documents.document import Document, DocumentSection
from refusal import Refusal

_MOST_NAMED: Final = 40


@dataclass(frozen=True, slots=True)
class DocumentLines:
    """Several lines of a document, the number of the first line, and the headings of the whole document."""

    lines: Sequence[str]
    first: int
    headings: Sequence[str] = ()
    is_cut: bool = False

    @property
    def last(self) -> int:
        return self.first + len(self.lines) - 1

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    def within(self, first: int, most: int, longest: int) -> DocumentLines:
        """Return up to `most` lines, starting at line `first`, with up to `longest` characters in total."""
        skipped = max(first - self.first, 0)
        wanted = self.lines[skipped : skipped + most]
        kept = wanted[: _fitting(wanted, longest)]
        return replace(self, lines=kept, first=self.first + skipped, is_cut=skipped + len(kept) < len(self.lines))


def lines_of(document: Document) -> DocumentLines:
    headings = [f"{'#' * one.level} {one.heading}" for one in document.sections if one.level]
    return DocumentLines(_written(document.sections), _start(document.sections), headings[:_MOST_NAMED])


def section_of(document: Document, name: str) -> DocumentLines:
    """Return a section with its subsections. If the section does not exist, list all headings."""
    wanted = name.strip().lstrip("#").strip().casefold()
    at = next((at for at, one in enumerate(document.sections) if one.heading.casefold() == wanted), None)
    if at is None or not wanted:
        listed = "; ".join(one.heading for one in document.sections if one.heading) or "none"
        raise Refusal(f"Section {name!r} not found. Sections: {listed[:2000]}.")
    level = document.sections[at].level
    below = takewhile(lambda one: one.level > level, document.sections[at + 1 :])
    sections = [document.sections[at], *below]
    return DocumentLines(_written(sections), _start(sections))


def _start(sections: Sequence[DocumentSection]) -> int:
    return sections[0].line if sections else 1


def _written(sections: Sequence[DocumentSection]) -> list[str]:
    """Return the lines of all sections. The index of each line corresponds to its line number in the document. Blank
    lines replace the underlines of headings.
    """
    lines: list[str] = []
    start = _start(sections)
    for section in sections:
        lines += [""] * (section.line - start - len(lines))
        lines += _lines(section)
    return lines


def _lines(section: DocumentSection) -> Iterator[str]:
    if section.level:
        yield f"{'#' * section.level} {section.heading}"
    yield from section.text.split("\n") if section.text else ()


def _fitting(lines: Sequence[str], longest: int) -> int:
    """Return the number of lines that fit into this many characters. The result is at least 1."""
    size = 0
    for number, line in enumerate(lines):
        size += len(line) + 1
        if size > longest:
            return max(number, 1)
    return len(lines)
