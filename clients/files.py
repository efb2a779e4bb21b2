"""Versioned files by path, in a storage container or a folder. Writers pass the version that they replace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True)
class File:
    """The properties of a file. The media type is empty if unknown."""

    path: str
    size: int
    version: str
    modified: datetime
    media_type: str = ""


@dataclass(frozen=True, slots=True)
class FilesPage:
    """Some files, and the start of the next page, if there is one."""

    files: Sequence[File]
    after: str = ""


class Files(Protocol):
    """Every method may raise a StorageError. Paths must be checked before they get here."""

    async def page(self, prefix: str, after: str, most: int) -> FilesPage:
        """Return the files with this path prefix, starting where the previous page ended."""

    async def look(self, path: str) -> File | None: ...

    async def read(self, path: str, start: int, most: int) -> tuple[File, bytes] | None:
        """Return a file and at most this many bytes from its start; None if it does not exist."""

    async def write(self, path: str, content: bytes, media_type: str, version: str) -> File:
        """Replace a file of this version; without a version, create a new one.

        Raises:
            ConflictError: It has another version, or already exists. Nothing was written.
        """

    async def delete(self, path: str, version: str) -> bool:
        """Delete the file of this version, and return whether it existed.

        Raises:
            ConflictError: It has another version.
        """

    async def close(self) -> None: ...
