"""How values become rows: their keys, their compressed content, and the batches they are written in."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from functools import cached_property
from hashlib import sha256
from typing import Generic, NamedTuple, TypeVar
from urllib.parse import quote

from pydantic import TypeAdapter

from clients.storage import BATCH_BYTES, BATCH_ROWS

LONGEST_KEY = 400
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

T = TypeVar("T")


class PackedValues(Generic[T]):
    """Values of one shape, as compressed JSON."""

    def __init__(self, shape: type[T]) -> None:
        self._shape = shape

    @cached_property
    def _adapter(self) -> TypeAdapter[T]:
        return TypeAdapter(self._shape)  # costs more than all else at start, and most processes never write

    def pack(self, value: T) -> bytes:
        return zlib.compress(self._adapter.dump_json(value))

    def unpack(self, content: bytes) -> T:
        return self._adapter.validate_json(zlib.decompress(content))


class UpdateEntry(NamedTuple):
    """One update, and what is to be logged of it: both are written, or neither."""

    key: str
    stored: bytes
    change: bytes | None


def key_of(update_id: str) -> str:
    """A key that Table storage takes, different for every id."""
    key = quote(update_id, safe="").replace("%", "!").replace("~", "!7E")
    return key if len(key) <= LONGEST_KEY else sha256(update_id.encode()).hexdigest()


def newest_first(revision: int) -> str:
    return f"{10**12 - 1 - revision:012}"


def latest_first(moment: datetime) -> str:
    return f"{10**17 - (moment - EPOCH) // timedelta(microseconds=1):017}"


def batches(entries: Iterable[UpdateEntry]) -> Iterator[list[UpdateEntry]]:
    """Fill batches as far as the storage takes them."""
    batch: list[UpdateEntry] = []
    rows = size = 0
    for entry in entries:
        more_rows, more = 1 + (entry.change is not None), len(entry.stored) + len(entry.change or b"")
        if batch and (rows + more_rows > BATCH_ROWS or size + more > BATCH_BYTES):
            yield batch
            batch, rows, size = [], 0, 0
        batch.append(entry)
        rows, size = rows + more_rows, size + more
    if batch:
        yield batch
