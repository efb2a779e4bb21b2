"""A document of the team, as read from its source."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class DocumentSection:
    """The Markdown below one heading, up to the next heading of any level. `line` is the line of the heading."""

    heading: str
    level: int
    line: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """`path` is unique within its source. `link` opens it in a browser, if its source has links."""

    source: str
    path: str
    title: str
    sections: tuple[DocumentSection, ...]
    modified: datetime | None = None
    link: str = ""
