"""A document of the team, as it was read from its source."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class DocumentSection:
    """What stands below one heading, up to the next of any level, as Markdown; `line` is where the heading is."""

    heading: str
    level: int
    line: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """`path` is unique within its source; `link` opens it in a browser, where its source has such an address."""

    source: str
    path: str
    title: str
    sections: tuple[DocumentSection, ...]
    modified: datetime | None = None
    link: str = ""
