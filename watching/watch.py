"""A watch defines which news a team gets, where notices are sent, and how often. A watch expires unless it is
renewed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from secrets import token_hex
from typing import Any, ClassVar, Final, Self

from pydantic_core import from_json, to_json

from refusal import Refusal
from updates.searching.search import SearchFilters

DAYS: Final = 90
DAYS_WARNED_BEFORE: Final = 7
# The number of days for which a watch can still be renewed after its expiry.
DAYS_KEPT_EXPIRED: Final = 30
DAY: Final = 86400.0
FEED: Final = "feed"
_NAME: Final = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,46}[a-z0-9])?")
# The hour, in UTC, when digests are sent.
_HOUR: Final = 6
_MONDAY: Final = 0


class WatchPace(StrEnum):
    """The frequency with which a watch sends notices."""

    IMMEDIATELY = "immediately"
    DAILY = "daily"
    WEEKLY = "weekly"

    def next(self, now: float) -> float:
        """Return the earliest time at which the next notice may be sent."""
        if self is WatchPace.IMMEDIATELY:
            return now
        day = datetime.fromtimestamp(now, UTC).replace(hour=_HOUR, minute=0, second=0, microsecond=0)
        while day.timestamp() <= now or (self is WatchPace.WEEKLY and day.weekday() != _MONDAY):
            day += timedelta(days=1)
        return day.timestamp()


@dataclass(frozen=True, slots=True)
class WatchChannel:
    """The URL and signing key of a user's channel. The URL and the key are stored only in encrypted form."""

    kind: ClassVar[str] = "channel of a watch"
    seconds: ClassVar[int] = 10 * 365 * 86400

    # The ID of the watch. A channel that was encrypted for one watch is therefore invalid for all others.
    watch: str
    url: str = field(repr=False)
    secret: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchDestination:
    """The destination of a watch. `to` is `feed`, the name of an operator's destination, or the kind of a user's
    channel.

    A channel is stored encrypted in `sealed`. The `host` is the only part of the channel's URL that callers can see.
    """

    to: str
    sealed: str = field(default="", repr=False)
    host: str = ""
    # The hash of the feed's token. The token itself is not stored.
    feed: str = field(default="", repr=False)

    @property
    def shown(self) -> str:
        return f"{self.to} at {self.host}" if self.host else self.to


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """A stored watch. `name` is unique within a tenant. `id` is never reused, even after the watch was deleted."""

    tenant: str
    name: str
    owner: str
    destination: WatchDestination
    pace: WatchPace
    id: str = field(default_factory=lambda: token_hex(8))
    query: str = ""
    filters: SearchFilters = field(default_factory=SearchFilters)
    # If set, the watch reports retirements that affect these subscriptions and resource groups, instead of search
    # results.
    scopes: tuple[str, ...] = ()
    created: float = 0.0
    expires: float = 0.0
    # The earliest time for the next notice, and the last revision of the update log that was checked.
    due: float = 0.0
    cursor: int = 0
    # The number of notices so far. Notices are numbered, and the next notice gets the next number.
    notices: int = 0
    # The expiry date in the last warning to the owner.
    warned: float = 0.0
    # The reason why the watch cannot be checked, if there is one.
    trouble: str = ""
    # The etag of the stored row.
    version: str | None = field(default=None, compare=False)

    @property
    def key(self) -> str:
        return key_of(self.tenant, self.name)

    @property
    def content(self) -> bytes:
        return to_json({name: value for name, value in asdict(self).items() if name != "version"})

    @classmethod
    def read(cls, content: bytes, version: str | None) -> Self:
        stored: Mapping[str, Any] = from_json(content)
        parts = {
            "filters": _filters_in(stored["filters"]),
            "destination": WatchDestination(**stored["destination"]),
            "pace": WatchPace(stored["pace"]),
            "scopes": tuple(stored.get("scopes", ())),
        }
        return cls(**{**stored, **parts, "version": version})

    @property
    def searched(self) -> tuple[object, ...]:
        """What the watch observes: a search or scopes. If this changes, the current results are not news."""
        return self.query, self.filters, self.scopes

    def is_expired(self, now: float) -> bool:
        return now >= self.expires

    def is_to_be_warned(self, now: float) -> bool:
        return self.warned != self.expires and self.expires - DAYS_WARNED_BEFORE * DAY <= now < self.expires

    def renewed(self, now: float) -> Self:
        return replace(self, expires=now + DAYS * DAY)


def _filters_in(stored: Mapping[str, Any]) -> SearchFilters:
    values: dict[str, Any] = {name: tuple(one) if isinstance(one, list) else one for name, one in stored.items()}
    return SearchFilters(**values)


def key_of(tenant: str, name: str) -> str:
    """Return the row key of a watch. Callers without a tenant share the prefix `none`."""
    return f"{tenant or 'none'}.{name}"


def checked_name(name: str) -> str:
    """Return the name if it is valid.

    Raises:
        Refusal: The name is not a valid name of a watch.
    """
    if not _NAME.fullmatch(name):
        raise Refusal(
            "`name` must be 1 to 48 lowercase letters, digits and hyphens, for example aks-retirements. Notices and"
            " later calls use this name."
        )
    return name
