"""Stores the team's documents and their search index. Each document is one row."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from hashlib import sha256
from typing import Final, NamedTuple

from pydantic import TypeAdapter

from clients.storage import BATCH_BYTES, BATCH_ROWS, Row, Storage
from documents.document import Document
from kept_index.store import IndexStore, Pointer

# The key of a source's head row. Every write to the source replaces the head row, so a write fails if it is based on an
# outdated version of the row.
_HEAD: Final = "head"
_DOCUMENT: Final = "document:"
LARGEST_PACKED: Final = BATCH_BYTES - 40_000


@dataclass(frozen=True, slots=True)
class Problem:
    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class SourceState:
    """The result of the last sync of a source. If the sync failed, the source keeps its earlier documents."""

    documents: int = 0
    read: datetime | None = None
    failure: str = ""
    unread: int = 0
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class PublishedDocuments(Pointer):
    """The published state of all documents: the last sync of each source, and the digest of the indexed documents."""

    sources: Mapping[str, SourceState] = field(default_factory=dict)
    digest: str = ""


class KeptDocument(NamedTuple):
    """A stored document: its key, its version, and its compressed text."""

    key: str
    version: str
    packed: bytes

    @property
    def document(self) -> Document:
        return _shape().validate_json(zlib.decompress(self.packed))

    @property
    def row(self) -> Row:
        return Row(self.key, self.version.encode() + b"\n" + self.packed)


class DocumentsStore(IndexStore[PublishedDocuments]):
    """The document storage. Many readers and one writer can use the storage at the same time."""

    def __init__(self, storage: Storage) -> None:
        super().__init__(storage, PublishedDocuments)

    async def kept(self, source: str) -> dict[str, KeptDocument]:
        """Map the key of each stored document of a source to the document."""
        rows = await self._storage.scan(source, _DOCUMENT)
        return {row.key: _document_in(row) for row in rows}

    async def document(self, source: str, path: str) -> Document | None:
        rows = await self._storage.read_rows(source, [key_of(path)])
        return _document_in(rows[0]).document if rows else None

    async def head(self, source: str) -> Row:
        rows = await self._storage.read_rows(source, [_HEAD])
        return rows[0] if rows else Row(_HEAD, b"0")

    async def write(self, source: str, head: Row, documents: Sequence[KeptDocument]) -> Row:
        """Store documents of a source. Each batch is atomic.

        Raises:
            ConflictError: Another process has written to the source since the head row was read. Earlier batches stay.
        """
        for batch in _batches(documents):
            number = str(int(head.content) + 1).encode()
            written = Row(_HEAD, number, head.version)
            head = await self._storage.put_rows(source, written, [kept.row for kept in batch])
        return head

    async def remove(self, source: str, keys: Sequence[str]) -> None:
        for key in keys:
            await self._storage.remove_row(source, key)


def packed(document: Document, version: str) -> KeptDocument:
    return KeptDocument(key_of(document.path), version, zlib.compress(_shape().dump_json(document)))


def digest_of(kept: Mapping[str, Iterable[KeptDocument]]) -> str:
    """Compute a digest of all documents.

    The digest changes if a document is added, removed or changed.
    """
    digest = sha256()
    for source, documents in kept.items():
        digest.update(f"{source}\n".encode())
        for one in documents:
            digest.update(f"{one.key} {one.version}\n".encode())
    return digest.hexdigest()


def key_of(path: str) -> str:
    return _DOCUMENT + sha256(path.encode(errors="replace")).hexdigest()


@cache
def _shape() -> TypeAdapter[Document]:
    return TypeAdapter(Document)


def _document_in(row: Row) -> KeptDocument:
    version, _, content = row.content.partition(b"\n")
    return KeptDocument(row.key, version.decode(), content)


def _batches(documents: Sequence[KeptDocument]) -> Iterator[Sequence[KeptDocument]]:
    start = size = 0
    for number, kept in enumerate(documents):
        more = len(kept.packed) + len(kept.version) + 1
        if number > start and (number - start >= BATCH_ROWS or size + more > BATCH_BYTES):
            yield documents[start:number]
            start, size = number, 0
        size += more
    if documents[start:]:
        yield documents[start:]
