"""Converts files to documents: Markdown is split at headings, HTML is converted to Markdown, and plain text stays
unchanged.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import PurePosixPath
from typing import Final

from documents.document import Document, DocumentSection
from text.html_to_markdown import faithful_markdown
from text.sections import Section as Heading
from text.sections import sections_of

LARGEST_DOCUMENT: Final = 2_000_000
MOST_HEADINGS: Final = 5_000
_MARKDOWN: Final = frozenset({".md", ".markdown"})
_HTML: Final = frozenset({".html", ".htm"})
READ: Final = (*sorted(_MARKDOWN), *sorted(_HTML), ".txt")
_LONGEST_TITLE: Final = 300


class UnreadableError(Exception):
    """The file is not readable text. The message contains the reason."""


def can_be_read(path: str) -> bool:
    return PurePosixPath(path).suffix.lower() in READ


def document_of(source: str, path: str, content: bytes, modified: datetime | None, link: str) -> Document:
    """Convert a file to a document. Raise UnreadableError if the file is too large or not text."""
    text = _decoded(content)
    kind = PurePosixPath(path).suffix.lower()
    if kind in _HTML:
        text = faithful_markdown(text)
    sections = tuple(_of_markdown(text) if kind in _MARKDOWN | _HTML else _unnamed(text))
    return Document(
        source=source, path=path, title=_title(sections, path), sections=sections, modified=modified, link=link
    )


def _title(sections: Sequence[DocumentSection], path: str) -> str:
    heading = next((section.heading for section in sections if section.heading), "")
    return (heading or PurePosixPath(path).stem)[:_LONGEST_TITLE]


def is_html(path: str) -> bool:
    """Check whether the file is HTML.

    HTML is converted to Markdown, so the document's line numbers differ from those of the file.
    """
    return PurePosixPath(path).suffix.lower() in _HTML


def first_line(section: DocumentSection) -> int:
    """Return the line number where a section's text starts. If the section has a heading, the text starts below it."""
    return section.line + 1 if section.level else section.line


def _decoded(content: bytes) -> str:
    if len(content) > LARGEST_DOCUMENT:
        raise UnreadableError(f"The file is larger than {LARGEST_DOCUMENT} bytes.")
    encoding = "utf-16" if content[:2] in {b"\xff\xfe", b"\xfe\xff"} else "utf-8-sig"
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError:
        raise UnreadableError("The file is not UTF-8 text.") from None
    if "\0" in text:
        raise UnreadableError("The file is not text: it contains control characters.")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _of_markdown(text: str) -> Iterator[DocumentSection]:
    """Split Markdown into sections: the text before the first heading, then one section per heading."""
    headings = sections_of(text)
    if len(headings) > MOST_HEADINGS:
        raise UnreadableError(f"The file has more than {MOST_HEADINGS} headings.")
    ends = [*(heading.start for heading in headings), len(text)][1:]
    yield from _unnamed(text[: headings[0].start] if headings else text)
    for heading, end in zip(headings, ends, strict=True):
        yield DocumentSection(_name(heading), heading.level, heading.line, _below(text, heading, end))


def _unnamed(text: str) -> Iterator[DocumentSection]:
    """Yield the text before the first heading as a section without a heading."""
    if text.strip():
        yield DocumentSection("", 0, 1, text.rstrip())


def _name(heading: Heading) -> str:
    return heading.path[-1][:_LONGEST_TITLE]


def _below(text: str, heading: Heading, end: int) -> str:
    """Return the text of a section. If a heading has several lines, all but the first become blank lines, so that line
    numbers stay correct.
    """
    further = text.count("\n", heading.start, heading.body) - 1
    return "\n" * max(further, 0) + text[heading.body : end].rstrip()
