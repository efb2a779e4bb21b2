"""Creates the keys of table rows, and groups the rows of updates into batches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import NamedTuple
from urllib.parse import quote

from clients.storage import BATCH_BYTES, BATCH_ROWS
from updates.changes import ChangeKind

LONGEST_KEY = 400
_LAST_REVISION = 10**12 - 1
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class UpdateEntry(NamedTuple):
    """The row of an update and, if its change is logged, the row of the change in the change log. One batch writes both
    rows.
    """

    id: str
    kind: ChangeKind
    stored: bytes
    change: bytes | None


def key_of(update_id: str) -> str:
    """Convert an update ID to a row key, which is unique and valid in Table storage."""
    key = quote(update_id, safe="").replace("%", "!").replace("~", "!7E")
    return key if len(key) <= LONGEST_KEY else sha256(update_id.encode()).hexdigest()


def newest_first(revision: int) -> str:
    return f"{_LAST_REVISION - revision:012}"


def revision_of(key: str) -> int:
    """Return the revision number that a change log key starts with."""
    return _LAST_REVISION - int(key[:12])


def latest_first(moment: datetime) -> str:
    return f"{10**17 - (moment - EPOCH) // timedelta(microseconds=1):017}"


def batches(entries: Iterable[UpdateEntry]) -> Iterator[list[UpdateEntry]]:
    """Split entries into batches that are as large as the storage allows."""
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
