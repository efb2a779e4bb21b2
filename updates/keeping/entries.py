"""Computes the table rows that a sync writes. The rows contain packed data."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from shifts import give_way
from updates.changes import ChangeKind, StoredUpdate, UpdateChange, UpdateDifference, compare, without_history
from updates.keeping.packing import UpdateEntry
from updates.packed import STORED_UPDATE, PackedValues, Packing

CHANGE_LOGGED: Final = Packing(UpdateChange)


@dataclass(frozen=True, slots=True)
class FeedContent:
    """The result of reading the feed: the updates, the time of reading, and the IDs of stored updates that are no
    longer in the feed.

    If this is the first sync, no update counts as new.
    """

    updates: PackedValues[StoredUpdate]
    seen: datetime
    gone: Collection[str]
    is_first: bool


def entries_of(known: PackedValues[StoredUpdate], content: FeedContent) -> list[UpdateEntry]:
    return [*_never_seen(known, content), *_changed(known, content)]


def updated(known: PackedValues[StoredUpdate], entries: Collection[UpdateEntry]) -> PackedValues[StoredUpdate]:
    """Apply these entries to the stored updates, and return the result."""
    for entry in entries:
        known.put(entry.id, entry.stored)
    return known


def _never_seen(known: PackedValues[StoredUpdate], content: FeedContent) -> Iterator[UpdateEntry]:
    """Yield the updates that the first sync adds, without unpacking them.

    The change log has no entries for updates that the first sync adds.
    """
    if content.is_first:
        for update_id, packed in content.updates.all_packed():
            if update_id not in known:
                yield UpdateEntry(update_id, ChangeKind.ADDED, packed, None)


def _changed(known: PackedValues[StoredUpdate], content: FeedContent) -> Iterator[UpdateEntry]:
    read = (content.updates[update_id].update for update_id in _differing(known, content))
    for difference in compare(known, read, content.seen, content.gone):
        yield _entry(without_history(difference) if content.is_first else difference)


def _differing(known: PackedValues[StoredUpdate], content: FeedContent) -> Iterator[str]:
    """Yield the ids of updates that may have changed. An update whose packed bytes are the same has not changed."""
    for update_id, packed in content.updates.all_packed():
        give_way()
        before = known.packed(update_id)
        if packed != before and not (before is None and content.is_first):
            yield update_id


def _entry(difference: UpdateDifference) -> UpdateEntry:
    stored, change = difference
    return UpdateEntry(change.id, change.kind, STORED_UPDATE.pack(stored), CHANGE_LOGGED.pack(change))
