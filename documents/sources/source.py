"""Defines the interface of document sources, which list files with their versions, and read files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


class SourceError(Exception):
    """The source did not respond as expected. The message describes the problem, and contains no
    text from documents.
    """


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A readable file in a source. The version of a file changes whenever the content changes."""

    path: str
    version: str
    size: int | None = None
    modified: datetime | None = None


class DocumentSource(Protocol):
    async def entries(self) -> Sequence[SourceFile]:
        """Return all readable files.

        Raises:
            SourceError: The source cannot list its files now.
        """

    async def read(self, entry: SourceFile, most: int) -> bytes | None:
        """Read at most this many bytes of a file. Return None if the file no longer exists.

        Raises:
            SourceError: The source cannot read the file now.
        """

    async def link(self, path: str) -> str:
        """Return the link that opens the file in a browser, or None."""
