"""Builds links that open a document in a browser, at a specific line if the site supports it."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import quote

from documents.reading.texts import is_html
from documents.sources.declaration import SourceKind

_NOT_IN_AN_ANCHOR: Final = re.compile(r"[^\w\s-]")
_SPACES: Final = re.compile(r"\s")


def below(link: str, path: str) -> str:
    """Append a file path to the link of the root folder. Return an empty link if the root folder has no link."""
    return f"{link.rstrip('/')}/{quote(path)}" if link else ""


def at_line(kind: SourceKind, link: str, path: str, line: int, heading: str) -> str:
    if not link or is_html(path):
        return link
    if kind is SourceKind.REPOSITORY:
        return f"{link}&line={line}&lineEnd={line + 1}&lineStartColumn=1&lineEndColumn=1"
    if kind is SourceKind.WIKI and heading:
        return f"{link}&anchor={quote(_anchor(heading))}"
    return link


def _anchor(heading: str) -> str:
    return _SPACES.sub("-", _NOT_IN_AN_ANCHOR.sub("", heading.strip().lower()))
