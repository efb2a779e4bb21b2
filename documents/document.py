"""A document of the team, with the content that the last sync read from the document's source."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class DocumentSection:
    """A section of a document: a heading, its line number, and the Markdown up to the next heading of any level."""

    heading: str
    level: int
    line: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A team document. `path` is unique within the document's source; `link` opens the document in a browser."""

    source: str
    path: str
    title: str
    sections: tuple[DocumentSection, ...]
    modified: datetime | None = None
    link: str = ""
