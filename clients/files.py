"""Files with versions, in a storage container or a folder.

A writer must pass the version of the file that it replaces.
"""

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
    """A page of files, and the start of the next page, if any."""

    files: Sequence[File]
    after: str = ""


class Files(Protocol):
    """Stores files. All methods may raise a StorageError. Callers must check paths first."""

    async def page(self, prefix: str, after: str, most: int) -> FilesPage:
        """Return the next page of files whose paths start with this prefix. `after` is the end of the previous page."""

    async def look(self, path: str) -> File | None: ...

    async def read(self, path: str, start: int, most: int) -> tuple[File, bytes] | None:
        """Return the properties of a file and at most `most` bytes from `start` on; None if the file does not exist."""

    async def write(self, path: str, content: bytes, media_type: str, version: str) -> File:
        """Replace the file if it still has this version. If `version` is empty, create a file.

        Raises:
            ConflictError: The file has another version, or already exists. Nothing was written.
        """

    async def delete(self, path: str, version: str) -> bool:
        """Delete the file if it still has this version. Returns whether the file existed.

        Raises:
            ConflictError: The file has another version.
        """

    async def close(self) -> None: ...
