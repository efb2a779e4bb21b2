"""Where documents come from: a list of what there is, each of a version, and the bytes of one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


class SourceError(Exception):
    """The source does not answer as it should; the words say how, without what it holds."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file that could be read. Its version changes whenever its content does."""

    path: str
    version: str
    size: int | None = None
    modified: datetime | None = None


class DocumentSource(Protocol):
    async def entries(self) -> Sequence[SourceFile]:
        """All that there is to read.

        Raises:
            SourceError: That cannot be told.
        """

    async def read(self, entry: SourceFile, most: int) -> bytes | None:
        """No more of it than so many bytes; nothing if it is gone.

        Raises:
            SourceError: It cannot be read now.
        """

    async def link(self, path: str) -> str:
        """Where it opens in a browser, or nothing."""
