"""Files by their paths: in a container of an account, or in a folder. Each is of a version, which writers name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True)
class File:
    """What is known of a file without reading it. The media type is nothing where nobody said it."""

    path: str
    size: int
    version: str
    modified: datetime
    media_type: str = ""


@dataclass(frozen=True, slots=True)
class FilesPage:
    """Some files, and where the next page begins, if there is one."""

    files: Sequence[File]
    after: str = ""


class Files(Protocol):
    """Every method may raise a StorageError. A path is one that was checked: it leads nowhere else."""

    async def page(self, prefix: str, after: str, most: int) -> FilesPage:
        """Return the files whose paths begin so, from where an earlier page said that this one begins."""

    async def look(self, path: str) -> File | None: ...

    async def read(self, path: str, start: int, most: int) -> tuple[File, bytes] | None:
        """Return a file and no more of what is in it than so many bytes from the start; nothing if there is none."""

    async def write(self, path: str, content: bytes, media_type: str, version: str) -> File:
        """Write a file that is of this version now; without a version, one that is not there yet.

        Raises:
            ConflictError: It is of another version, or is there. Nothing was written.
        """

    async def delete(self, path: str, version: str) -> bool:
        """Delete the file of this version, and answer whether it was there.

        Raises:
            ConflictError: It is of another version.
        """

    async def close(self) -> None: ...
