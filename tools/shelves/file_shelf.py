"""Stores files as resources."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from mimetypes import MimeTypes
from typing import Final

from clients.files import File, Files
from clients.storage import ConflictError, StorageError
from mcp_server.declarations.shelf import AddressError, MissingError, OutdatedError
from refusal import Refusal
from tools.shelves.addresses import SCHEME, is_fit, path_of, uri_of
from tools.shelves.keeper import Entries, ShelfEntry

_TYPES: Final = MimeTypes()
_TYPES.add_type("text/markdown", ".md")
_TYPES.add_type("application/yaml", ".yaml")
_TYPES.add_type("application/yaml", ".yml")
UNKNOWN_TYPE: Final = "application/octet-stream"
_BEGINS: Final = f"{SCHEME}:///"


def type_of(name: str) -> str:
    """Return the media type for a file name. Unlike in the standard library, the result is the same
    on every machine.
    """
    return _TYPES.guess_type(name)[0] or UNKNOWN_TYPE


class FileShelf:
    def __init__(self, files: Files) -> None:
        self._files = files

    async def entries(self, prefix: str, after: str, most: int) -> Entries:
        with _failures():
            page = await self._files.page(_prefix_of(prefix), after, most)
        return Entries([_entry(file) for file in page.files if is_fit(file.path)], page.after)

    async def look(self, uri: str) -> ShelfEntry | None:
        with _failures():
            found = await self._files.look(path_of(uri))
        return _entry(found) if found else None

    async def read(self, uri: str, start: int, most: int) -> tuple[ShelfEntry, bytes] | None:
        with _failures():
            found = await self._files.read(path_of(uri), start, most)
        return (_entry(found[0]), found[1]) if found else None

    async def refuse_unfit(self, uri: str, content: bytes | None, media_type: str, etag: str) -> None:
        """Accept any content, because a file can contain any bytes."""

    async def write(self, uri: str, content: bytes, media_type: str, etag: str) -> ShelfEntry:
        path = path_of(uri)
        with _failures():
            return _entry(await self._files.write(path, content, media_type or type_of(path), etag))

    async def delete(self, uri: str, etag: str) -> None:
        with _failures():
            if not await self._files.delete(path_of(uri), etag):
                raise MissingError(f"{uri} no longer exists.")


def _prefix_of(prefix: str) -> str:
    """Convert a prefix of file URIs to a prefix of paths."""
    if _BEGINS.startswith(prefix):
        return ""
    begun = prefix.removesuffix("/")
    if not prefix.startswith(_BEGINS):
        raise AddressError(f"File URIs start with {_BEGINS}.")
    return path_of(begun) + prefix[len(begun) :]


def _entry(file: File) -> ShelfEntry:
    media_type = file.media_type or type_of(file.path)
    return ShelfEntry(uri_of(file.path), file.path, media_type, file.size, file.version, file.modified)


@contextmanager
def _failures() -> Iterator[None]:
    try:
        yield
    except ConflictError:
        raise OutdatedError(
            "The file changed in the meantime, so nothing was written. Read the file again and repeat the change."
        ) from None
    except StorageError as failure:
        raise Refusal(f"The file storage, or this file, cannot be reached at present. {failure}") from None
