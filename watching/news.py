"""News: what changed about something watched, for people and programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from notifying.notification import NotificationItem

# The number of identical changes that are listed one by one.
_FEW_ALIKE: Final = 3
_TITLES_TOLD: Final = 5
_LONGEST_TEXT: Final = 600
_LONGEST_LIST: Final = 50


@dataclass(frozen=True, slots=True)
class WatchNews:
    """One change. `document` is for programs; the facts of `item` describe before and after.

    `alike` is equal for changes that differ only in their subject; empty if each is separate.
    """

    item: NotificationItem
    document: Mapping[str, Any]
    alike: str = ""


@dataclass(frozen=True, slots=True)
class NoticeEntry:
    """An entry in a notice: one change, or many similar ones."""

    item: NotificationItem
    documents: Sequence[Mapping[str, Any]] = field(default=())


def entries_of(news: Sequence[WatchNews]) -> list[NoticeEntry]:
    """One entry per change, and one for many similar changes, for example if a product is renamed."""
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
    """A document with long texts and lists truncated."""
    match value:
        case str():
            return value if len(value) <= _LONGEST_TEXT else f"{value[:_LONGEST_TEXT]}…"
        case dict():
            return {name: bounded(one) for name, one in value.items()}
        case list():
            return [bounded(one) for one in value[:_LONGEST_LIST]]
        case _:
            return value
