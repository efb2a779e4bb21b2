"""What differs between the updates that are known and those that the feed holds now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from shifts import give_way
from updates.record import Availability, Update

Value = str | tuple[Availability, ...] | tuple[str, ...] | None


class ChangeKind(StrEnum):
    ADDED = "added"
    EDITED = "edited"
    WITHDRAWN = "withdrawn"
    RESTORED = "restored"


@dataclass(frozen=True, slots=True)
class StoredUpdate:
    """An update as the store knows it: the feed holds it, or held it until it was withdrawn."""

    update: Update
    withdrawn: datetime | None = None


@dataclass(frozen=True, slots=True)
class Edit:
    """One field of an update, named as in `Update`, before and after."""

    field: str
    before: Value
    after: Value


@dataclass(frozen=True, slots=True)
class Change:
    """What happened to one update, and when it was seen. What was restored may have been edited meanwhile."""

    id: str
    title: str
    kind: ChangeKind
    seen: datetime
    edits: tuple[Edit, ...] = ()


class Difference(NamedTuple):
    stored: StoredUpdate
    change: Change


def compare(
    known: Mapping[str, StoredUpdate], read: Iterable[Update], seen: datetime, gone: Iterable[str] = ()
) -> list[Difference]:
    """Compare by content, because an edit does not always move `modified`; and withdraw what is gone."""
    found: list[Difference] = []
    for update in read:
        give_way()
        if difference := _difference(known.get(update.id), update, seen):
            found.append(difference)
    return found + [_withdrawal(known[update_id].update, seen) for update_id in gone]


def held_before(known: Mapping[str, StoredUpdate]) -> set[str]:
    """The ids of what the feed is known to have held until now."""
    return {update_id for update_id, stored in known.items() if not stored.withdrawn}


def _withdrawal(update: Update, seen: datetime) -> Difference:
    return Difference(StoredUpdate(update, withdrawn=seen), _change(update, ChangeKind.WITHDRAWN, seen))


def _difference(known: StoredUpdate | None, update: Update, seen: datetime) -> Difference | None:
    if known is None:
        return Difference(StoredUpdate(update), _change(update, ChangeKind.ADDED, seen))
    edits = _edits(known.update, update)
    if known.withdrawn:
        return Difference(StoredUpdate(update), _change(update, ChangeKind.RESTORED, seen, edits))
    if edits:
        return Difference(StoredUpdate(update), _change(update, ChangeKind.EDITED, seen, edits))
    return None


def _change(update: Update, kind: ChangeKind, seen: datetime, edits: tuple[Edit, ...] = ()) -> Change:
    return Change(update.id, update.title, kind, seen, edits)


def _edits(before: Update, after: Update) -> tuple[Edit, ...]:
    values = ((field.name, getattr(before, field.name), getattr(after, field.name)) for field in fields(Update))
    return tuple(Edit(*value) for value in values if value[1] != value[2])
