"""Compares the stored updates with the current feed, and describes the changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from datetime import datetime
from enum import StrEnum
from typing import Final, NamedTuple

from shifts import give_way
from updates.record import Availability, Update

LONGEST_HISTORY: Final = 20
LONGEST_EXCERPT: Final = 300
_AROUND: Final = 60

Value = str | tuple[Availability, ...] | tuple[str, ...] | None


class ChangeKind(StrEnum):
    ADDED = "added"
    EDITED = "edited"
    WITHDRAWN = "withdrawn"
    RESTORED = "restored"


@dataclass(frozen=True, slots=True)
class FieldEdit:
    """An edited field of an update, with its values before and after the edit. Field names are those of `Update`."""

    field: str
    before: Value
    after: Value

    @property
    def excerpt(self) -> FieldEdit:
        """Return this edit with long texts shortened to the changed part and a few words of context."""
        if not isinstance(self.before, str) or not isinstance(self.after, str):
            return self
        return FieldEdit(self.field, *excerpts(self.before, self.after))


@dataclass(frozen=True, slots=True)
class PastChange:
    """A past change to an update, and the time when a sync found the change."""

    kind: ChangeKind
    seen: datetime
    edits: tuple[FieldEdit, ...] = ()


@dataclass(frozen=True, slots=True)
class StoredUpdate:
    """A stored update, which is either current or withdrawn from the feed.

    `history` contains the latest changes, newest first. Updates that the first sync adds have no history yet.
    """

    update: Update
    withdrawn: datetime | None = None
    history: tuple[PastChange, ...] = ()


@dataclass(frozen=True, slots=True)
class UpdateChange:
    """A change to an update, and the time when a sync found the change. An update that is restored may have been
    edited, too.
    """

    id: str
    title: str
    kind: ChangeKind
    seen: datetime
    edits: tuple[FieldEdit, ...] = ()


class UpdateDifference(NamedTuple):
    stored: StoredUpdate
    change: UpdateChange


def compare(
    known: Mapping[str, StoredUpdate], read: Iterable[Update], seen: datetime, gone: Iterable[str] = ()
) -> Iterator[UpdateDifference]:
    """Compare stored updates with those in the feed. Compare their content, because edits do not always change
    `modified`.
    """
    for update in read:
        give_way()
        if difference := _difference(known.get(update.id), update, seen):
            yield difference
    for update_id in gone:
        yield _withdrawal(known[update_id], seen)


def held_before(known: Mapping[str, StoredUpdate]) -> set[str]:
    """Return the ids of all stored updates that are not withdrawn."""
    return {update_id for update_id, stored in known.items() if not stored.withdrawn}


def without_history(difference: UpdateDifference) -> UpdateDifference:
    """Return a change without its history. In the first sync, there is no earlier sync to compare with."""
    return difference._replace(stored=replace(difference.stored, history=()))


def excerpts(before: str, after: str) -> tuple[str, str]:
    """Return the differing parts of two texts, each with a few words of context. Short texts are returned in full."""
    if max(len(before), len(after)) <= LONGEST_EXCERPT:
        return before, after
    start = max(0, _alike(before, after) - _AROUND)
    shorter = min(len(before), len(after)) - start
    kept = max(0, min(_alike(before[::-1], after[::-1]), shorter) - _AROUND)
    return _cut(before, start, len(before) - kept), _cut(after, start, len(after) - kept)


def _alike(one: str, other: str) -> int:
    """Return the length of the common prefix of two texts."""
    differing = (place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    return next(differing, min(len(one), len(other)))


def _cut(text: str, start: int, end: int) -> str:
    last = min(end, start + LONGEST_EXCERPT)
    return "…" * (start > 0) + text[start:last] + "…" * (last < len(text))


def _withdrawal(known: StoredUpdate, seen: datetime) -> UpdateDifference:
    return _changed(known, StoredUpdate(known.update, withdrawn=seen), PastChange(ChangeKind.WITHDRAWN, seen))


def _difference(known: StoredUpdate | None, update: Update, seen: datetime) -> UpdateDifference | None:
    now = StoredUpdate(update)
    if known is None:
        return _changed(now, now, PastChange(ChangeKind.ADDED, seen))
    edits = _edits(known.update, update)
    if known.withdrawn:
        return _changed(known, now, PastChange(ChangeKind.RESTORED, seen, edits))
    return _changed(known, now, PastChange(ChangeKind.EDITED, seen, edits)) if edits else None


def _changed(before: StoredUpdate, after: StoredUpdate, change: PastChange) -> UpdateDifference:
    newest = replace(change, edits=tuple(edit.excerpt for edit in change.edits))
    stored = replace(after, history=(newest, *before.history)[:LONGEST_HISTORY])
    logged = UpdateChange(after.update.id, after.update.title, change.kind, change.seen, change.edits)
    return UpdateDifference(stored, logged)


def _edits(before: Update, after: Update) -> tuple[FieldEdit, ...]:
    values = ((field.name, getattr(before, field.name), getattr(after, field.name)) for field in fields(Update))
    return tuple(FieldEdit(*value) for value in values if value[1] != value[2])
