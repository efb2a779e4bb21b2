"""Reads containers and blobs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from clients.azure.messages import AzureAnswer, AzureRequest
from clients.azure.storage.data import XML, Data
from clients.azure.storage.listing import StorageListing, listed
from refusal import Refusal

# The maximum decompressed size. Even for a small part of a compressed blob, the server may have to
# decompress this many bytes.
LARGEST_UNPACKED: Final = 16 * 1024 * 1024
_UNPACKED: Final = frozenset({"gzip", "deflate"})
_CONTENT_RANGE: Final = re.compile(r"bytes (\d+)-\d+/(\d+)")
_BLOB: Final = "/{container}/{blob}"


@dataclass(frozen=True, slots=True)
class BlobAddress:
    """A blob, or an earlier state of it: `snapshot` and `version` are timestamps from a list of blobs."""

    container: str
    blob: str
    snapshot: str | None = None
    version: str | None = None

    @property
    def values(self) -> dict[str, str]:
        return {"container": self.container, "blob": self.blob}

    @property
    def query(self) -> dict[str, Any]:
        return {"snapshot": self.snapshot, "versionid": self.version}


@dataclass(frozen=True, slots=True)
class BlobFilter:
    """A filter for the blobs of a container.

    `is_deep` also lists the blobs in folders.
    """

    container: str
    prefix: str | None = None
    is_deep: bool = False
    include: Sequence[str] = ()

    @property
    def delimiter(self) -> str | None:
        # Azure does not list folders together with snapshots or versions.
        return None if self.is_deep or {"snapshots", "versions"} & set(self.include) else "/"


@dataclass(frozen=True, slots=True)
class BlobPiece:
    """A range of bytes of a blob: its content from `start` on, and the `size` of the whole blob."""

    content: bytes
    start: int
    size: int

    @property
    def reaches_end(self) -> bool:
        return self.start + len(self.content) >= self.size


async def containers(data: Data, prefix: str | None, limit: int, marker: str | None) -> StorageListing:
    query = {"comp": "list", "include": "deleted,system", "prefix": prefix}
    return await listed(data, AzureRequest("GET /", query=query), limit, marker)


async def blobs(data: Data, wanted: BlobFilter, limit: int, marker: str | None) -> StorageListing:
    query = {"restype": "container", "comp": "list", "prefix": wanted.prefix, "delimiter": wanted.delimiter}
    query["include"] = ",".join(wanted.include) or None
    return await listed(data, AzureRequest("GET /{container}", {"container": wanted.container}, query), limit, marker)


async def properties(data: Data, place: BlobAddress) -> AzureAnswer:
    """Read the properties of a blob, which are in the headers of the response."""
    return await data.send(AzureRequest(f"HEAD {_BLOB}", place.values, place.query, accept=XML))


async def piece(data: Data, place: BlobAddress, known: AzureAnswer, start: int, length: int) -> BlobPiece:
    """Read a range of bytes of a blob. `known` contains the blob's properties. Positions count decompressed bytes."""
    size, encoding = size_of(known), encoding_of(known)
    if encoding in _UNPACKED:
        return await _unpacked(data, place, start, length)
    if encoding:
        raise _not_decompressed(encoding)
    if not size and not start:
        return BlobPiece(b"", 0, 0)
    if start >= size:
        raise Refusal(f"The blob has only {size} bytes.")
    return await _range(data, place, start, min(length, size - start))


def _not_decompressed(encoding: str) -> Refusal:
    return Refusal(
        f"The blob is stored as {encoding}, which cannot be decompressed here. Create a link to the blob instead."
    )


def size_of(known: AzureAnswer) -> int:
    text = known.headers.get("Content-Length", "")
    return int(text) if text.isdecimal() else 0


def encoding_of(known: AzureAnswer) -> str:
    """The compression of a blob; empty if it is not compressed."""
    encoding = known.headers.get("Content-Encoding", "").strip().lower()
    return "" if encoding == "identity" else encoding


async def whole(data: Data, place: BlobAddress) -> BlobPiece:
    """The whole content of a blob, decompressed."""
    return await _unpacked(data, place, 0, LARGEST_UNPACKED)


async def _range(data: Data, place: BlobAddress, start: int, length: int) -> BlobPiece:
    headers = {"x-ms-range": f"bytes={start}-{start + length - 1}"}
    request = AzureRequest(f"GET {_BLOB}", place.values, place.query, accept=XML, headers=headers)
    answer = await data.send(request, length)
    found = _CONTENT_RANGE.fullmatch(answer.headers.get("Content-Range", ""))
    if not found or int(found[1]) != start:
        raise Refusal("Azure Storage returned a different part of the blob than requested. Try again.")
    return BlobPiece(answer.content, start, int(found[2]))


async def _unpacked(data: Data, place: BlobAddress, start: int, length: int) -> BlobPiece:
    if start + length > LARGEST_UNPACKED:
        raise Refusal(
            f"Only the first {LARGEST_UNPACKED} bytes of a compressed blob can be read. Create a link to the blob"
            " instead."
        )
    answer = await data.send(AzureRequest(f"GET {_BLOB}", place.values, place.query, accept=XML), start + length)
    # The decompressed size of the whole blob is unknown.
    size = len(answer.content) + answer.is_cut
    return BlobPiece(answer.content[start:], start, size)
