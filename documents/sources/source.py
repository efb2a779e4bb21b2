"""The interface of document sources: list the files with their versions, and read one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


class SourceError(Exception):
    """The source did not respond as expected. The message says how, without any content."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A readable file. Its version changes whenever its content does."""

    path: str
    version: str
    size: int | None = None
    modified: datetime | None = None


class DocumentSource(Protocol):
    async def entries(self) -> Sequence[SourceFile]:
        """All readable files.

        Raises:
            SourceError: The list is unavailable.
        """

    async def read(self, entry: SourceFile, most: int) -> bytes | None:
        """Read at most this many bytes. None if the file is gone.

        Raises:
            SourceError: The file is currently unreadable.
        """

    async def link(self, path: str) -> str:
        """The link that opens it in a browser, or None."""
