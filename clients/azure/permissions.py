"""Evaluates the permissions of a caller at a scope."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, Self

Extent = Literal["everything", "some", "nothing"]

_GRANTING: Final = "Microsoft.Authorization/roleAssignments/write"
_READING: Final = "/read"
_EVERY_CHANGE: Final = ("*/write", "*/delete", "*/action")


@dataclass(frozen=True, slots=True)
class RolePermission:
    """The actions that a role allows, and those that it excludes. Case is ignored, and a star matches anything."""

    actions: Sequence[str]
    not_actions: Sequence[str]
    data_actions: Sequence[str]
    not_data_actions: Sequence[str]

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Self:
        names = ("actions", "notActions", "dataActions", "notDataActions")
        return cls(*([str(pattern) for pattern in record.get(name) or ()] for name in names))

    def allows(self, action: str) -> bool:
        return _is_within(action, self.actions) and not _is_within(action, self.not_actions)

    def allows_of_data(self, action: str) -> bool:
        return _is_within(action, self.data_actions) and not _is_within(action, self.not_data_actions)


@dataclass(frozen=True, slots=True)
class Permissions:
    """The actions that at least one of several roles allows, even if another of these roles excludes them."""

    entries: Sequence[RolePermission]

    @classmethod
    def of(cls, records: Iterable[Mapping[str, Any]]) -> Self:
        return cls([RolePermission.of(record) for record in records])

    def allow(self, action: str, *, of_data: bool | None = None) -> bool:
        """Whether the roles allow an action.

        `of_data` says whether the action is a data action. If `of_data` is None, the action may be of either kind.
        """
        as_usual, with_data = of_data is not True, of_data is not False
        return any(
            (as_usual and entry.allows(action)) or (with_data and entry.allows_of_data(action))
            for entry in self.entries
        )

    @property
    def reading(self) -> Extent:
        if any(entry.allows(f"*{_READING}") for entry in self.entries):
            return "everything"
        return "some" if any(map(_may_read, self.actions)) else "nothing"

    @property
    def changing(self) -> Extent:
        if all(any(entry.allows(change) for entry in self.entries) for change in _EVERY_CHANGE):
            return "everything"
        return "some" if any(map(_may_change, self.actions)) else "nothing"

    @property
    def is_granting(self) -> bool:
        return any(entry.allows(_GRANTING) for entry in self.entries)

    @property
    def actions(self) -> list[str]:
        return _distinct(pattern for entry in self.entries for pattern in entry.actions)

    @property
    def data_actions(self) -> list[str]:
        return _distinct(pattern for entry in self.entries for pattern in entry.data_actions)

    @property
    def left_out(self) -> list[str]:
        """The actions that at least one role excludes and no role allows."""
        taken = _distinct(pattern for entry in self.entries for pattern in entry.not_actions)
        return [pattern for pattern in taken if not any(entry.allows(pattern) for entry in self.entries)]

    @property
    def data_left_out(self) -> list[str]:
        taken = _distinct(pattern for entry in self.entries for pattern in entry.not_data_actions)
        return [pattern for pattern in taken if not any(entry.allows_of_data(pattern) for entry in self.entries)]


def _may_read(pattern: str) -> bool:
    return pattern.lower().endswith((_READING, "*"))


def _may_change(pattern: str) -> bool:
    return not pattern.lower().endswith(_READING)


def _distinct(patterns: Iterable[str]) -> list[str]:
    return list({pattern.lower(): pattern for pattern in patterns}.values())


def _is_within(action: str, patterns: Iterable[str]) -> bool:
    return any(_matches(pattern.lower(), action.lower()) for pattern in patterns)


def _matches(pattern: str, action: str) -> bool:
    first, *rest = pattern.split("*")
    if not rest:
        return action == pattern
    *between, last = rest
    if not action.startswith(first) or len(action) < len(first) + len(last) or not action.endswith(last):
        return False
    return _has_in_turn(action[len(first) : len(action) - len(last)], iter(between))


def _has_in_turn(text: str, parts: Iterator[str]) -> bool:
    place = 0
    for part in parts:
        found = text.find(part, place)
        if found < 0:
            return False
        place = found + len(part)
    return True
