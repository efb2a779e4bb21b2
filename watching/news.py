"""The changes that a watch reports. Each change has a text for people, and JSON for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from notifying.notification import NotificationItem

# The maximum number of similar changes that are listed separately instead of as a group.
_FEW_ALIKE: Final = 3
_TITLES_TOLD: Final = 5
_LONGEST_TEXT: Final = 600
_LONGEST_LIST: Final = 50


@dataclass(frozen=True, slots=True)
class WatchNews:
    """A change that a watch reports. `document` is for programs.

    The facts of `item` show the values before and after the change. Changes with the same `alike` differ only in their
    subject. If `alike` is empty, the change is always listed separately.
    """

    item: NotificationItem
    document: Mapping[str, Any]
    alike: str = ""


@dataclass(frozen=True, slots=True)
class NoticeEntry:
    """An entry in a notice: a change, or a group of similar changes."""

    item: NotificationItem
    documents: Sequence[Mapping[str, Any]] = field(default=())


def entries_of(news: Sequence[WatchNews]) -> list[NoticeEntry]:
    """Convert changes to entries. Many similar changes become one entry, for example if a product was renamed."""
    groups: dict[str, list[WatchNews]] = {}
    for number, one in enumerate(news):
        groups.setdefault(one.alike or f"#{number}", []).append(one)
    return [entry for group in groups.values() for entry in _entries(group)]


def _entries(group: Sequence[WatchNews]) -> list[NoticeEntry]:
    if len(group) <= _FEW_ALIKE:
        return [NoticeEntry(one.item, [one.document]) for one in group]
    titles = "; ".join(one.item.title for one in group[:_TITLES_TOLD])
    more = len(group) - _TITLES_TOLD
    names = f"{titles}{f'; and {more} more' if more > 0 else ''}"
    item = NotificationItem(f"{len(group)} updates changed in the same way", {**group[0].item.facts, "Updates": names})
    return [NoticeEntry(item, [one.document for one in group])]


def bounded(value: Any) -> Any:
    """Return a document with long texts and lists truncated."""
    match value:
        case str():
            return value if len(value) <= _LONGEST_TEXT else f"{value[:_LONGEST_TEXT]}…"
        case dict():
            return {name: bounded(one) for name, one in value.items()}
        case list():
            return [bounded(one) for one in value[:_LONGEST_LIST]]
        case _:
            return value
