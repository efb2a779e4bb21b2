"""Computes what a sync changes in the store, packed for writing."""

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
    """What a sync read, when, and which known updates were missing. A first sync reports nothing as new."""

    updates: PackedValues[StoredUpdate]
    seen: datetime
    gone: Collection[str]
    is_first: bool


def entries_of(known: PackedValues[StoredUpdate], content: FeedContent) -> list[UpdateEntry]:
    return [*_never_seen(known, content), *_changed(known, content)]


def updated(known: PackedValues[StoredUpdate], entries: Collection[UpdateEntry]) -> PackedValues[StoredUpdate]:
    """The known updates after these entries are written."""
    for entry in entries:
        known.put(entry.id, entry.stored)
    return known


def _never_seen(known: PackedValues[StoredUpdate], content: FeedContent) -> Iterator[UpdateEntry]:
    """Entries of a first sync are written as packed and not logged."""
    if content.is_first:
        for update_id, packed in content.updates.all_packed():
            if update_id not in known:
                yield UpdateEntry(update_id, ChangeKind.ADDED, packed, None)


def _changed(known: PackedValues[StoredUpdate], content: FeedContent) -> Iterator[UpdateEntry]:
    read = (content.updates[update_id].update for update_id in _differing(known, content))
    for difference in compare(known, read, content.seen, content.gone):
        yield _entry(without_history(difference) if content.is_first else difference)


def _differing(known: PackedValues[StoredUpdate], content: FeedContent) -> Iterator[str]:
    """Entries that may have changed. Most are packed as before and need no comparison."""
    for update_id, packed in content.updates.all_packed():
        give_way()
        before = known.packed(update_id)
        if packed != before and not (before is None and content.is_first):
            yield update_id


def _entry(difference: UpdateDifference) -> UpdateEntry:
    stored, change = difference
    return UpdateEntry(change.id, change.kind, STORED_UPDATE.pack(stored), CHANGE_LOGGED.pack(change))
