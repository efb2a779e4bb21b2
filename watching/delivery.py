"""A notice that a watch sends: the content, and the delivery status."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Any, Final, Self

from pydantic_core import from_json, to_json

from notifying.notification import NotificationItem
from watching.news import NoticeEntry

# The maximum number of entries in a notice, because Teams limits a card to 28 KB, and Slack limits a message to 50
# parts.
MOST_ENTRIES: Final = 10


class NoticeOccasion(StrEnum):
    """The reason for sending a notice."""

    NEWS = "news"
    EXPIRING = "expiring"
    TROUBLE = "trouble"
    TEST = "test"


class WatchDeliveryState(StrEnum):
    WAITING = "waiting"
    SENDING = "sending"
    DELIVERED = "delivered"
    # The notice appears in the feed of its watch.
    PUBLISHED = "published"
    # The notice may or may not have arrived, and the destination cannot be checked.
    UNKNOWN = "unknown"
    SET_ASIDE = "set aside"


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchDelivery:
    """A stored notice. `watch` is the key of the watch that sends the notice. Receivers use `id`
    to detect duplicates.
    """

    id: str
    watch: str
    occasion: NoticeOccasion
    entries: Sequence[NoticeEntry] = ()
    # The number of this part of a split notice, and the total number of parts.
    part: int = 1
    parts: int = 1
    created: float = 0.0
    state: WatchDeliveryState = WatchDeliveryState.WAITING
    tries: int = 0
    # The time of the next attempt, and the time when the sender's claim expires.
    due: float = 0.0
    held: float = 0.0
    # The reason why the destination rejected the notice.
    trouble: str = ""
    version: str | None = field(default=None, compare=False)

    @property
    def is_open(self) -> bool:
        return self.state in {WatchDeliveryState.WAITING, WatchDeliveryState.SENDING}

    @property
    def changes(self) -> int:
        return sum(len(entry.documents) for entry in self.entries)

    @property
    def content(self) -> bytes:
        fields = {name: value for name, value in asdict(self).items() if name != "version"}
        return zlib.compress(to_json(fields))

    @classmethod
    def read(cls, content: bytes, version: str | None) -> Self:
        stored: Mapping[str, Any] = from_json(zlib.decompress(content))
        entries = [NoticeEntry(NotificationItem(**entry["item"]), entry["documents"]) for entry in stored["entries"]]
        states = {"occasion": NoticeOccasion(stored["occasion"]), "state": WatchDeliveryState(stored["state"])}
        return cls(**{**stored, **states, "entries": entries, "version": version})

    def ended(self, state: WatchDeliveryState, trouble: str = "") -> Self:
        return replace(self, state=state, held=0.0, trouble=trouble)

    def waiting(self, due: float, trouble: str = "", *, tries: int = 0) -> Self:
        return replace(self, state=WatchDeliveryState.WAITING, held=0.0, due=due, trouble=trouble, tries=tries)


def parts_of(entries: Sequence[NoticeEntry]) -> list[Sequence[NoticeEntry]]:
    """Split entries into groups that each fit into one notice."""
    return [entries[start : start + MOST_ENTRIES] for start in range(0, len(entries), MOST_ENTRIES)]
