"""Reads documents from a container of the storage account or from a local folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from clients.files import File, Files, FilesPage
from clients.storage import StorageError
from documents.sources.links import below
from documents.sources.source import SourceError, SourceFile

_PAGE: Final = 5_000
MOST_ENTRIES: Final = 20_000


@dataclass(frozen=True, slots=True)
class FilesSource:
    """Reads documents from file storage. The path of a document is the name of its file without `prefix`."""

    files: Files
    prefix: str = ""
    address: str = ""
    # Check that the folder exists. If the folder is missing, the sync must not treat all its files as deleted.
    folder: Path | None = None

    async def entries(self) -> Sequence[SourceFile]:
        if self.folder and not self.folder.is_dir():
            raise SourceError("The folder does not exist.")
        found: list[SourceFile] = []
        after = ""
        while True:
            page = await self._page(after)
            found += map(self._entry, page.files)
            if len(found) > MOST_ENTRIES:
                raise SourceError(f"The source has more than {MOST_ENTRIES} files. Limit the source to a folder.")
            if not page.after:
                return found
            after = page.after

    async def read(self, entry: SourceFile, most: int) -> bytes | None:
        try:
            found = await self.files.read(self.prefix + entry.path, 0, most)
        except StorageError as error:
            raise SourceError(str(error)) from error
        return found[1] if found else None

    async def link(self, path: str) -> str:
        return below(self.address, path)

    async def _page(self, after: str) -> FilesPage:
        try:
            return await self.files.page(self.prefix, after, _PAGE)
        except StorageError as error:
            raise SourceError(str(error)) from error

    def _entry(self, file: File) -> SourceFile:
        return SourceFile(file.path.removeprefix(self.prefix), file.version, file.size, file.modified)
