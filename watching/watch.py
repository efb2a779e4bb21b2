"""A watch: what a team wants to hear about, where and how often. It expires unless renewed."""

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
# How long an expired watch can be renewed.
DAYS_KEPT_EXPIRED: Final = 30
DAY: Final = 86400.0
FEED: Final = "feed"
_NAME: Final = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,46}[a-z0-9])?")
# When digests are sent, in UTC.
_HOUR: Final = 6
_MONDAY: Final = 0


class WatchPace(StrEnum):
    """How often news is sent."""

    IMMEDIATELY = "immediately"
    DAILY = "daily"
    WEEKLY = "weekly"

    def next(self, now: float) -> float:
        """When the next news may be sent."""
        if self is WatchPace.IMMEDIATELY:
            return now
        day = datetime.fromtimestamp(now, UTC).replace(hour=_HOUR, minute=0, second=0, microsecond=0)
        while day.timestamp() <= now or (self is WatchPace.WEEKLY and day.weekday() != _MONDAY):
            day += timedelta(days=1)
        return day.timestamp()


@dataclass(frozen=True, slots=True)
class WatchChannel:
    """A user's URL and the signing key for it; always stored sealed."""

    kind: ClassVar[str] = "channel of a watch"
    seconds: ClassVar[int] = 10 * 365 * 86400

    # What is sealed for one watch cannot be opened for another.
    watch: str
    url: str = field(repr=False)
    secret: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchDestination:
    """`to` is `feed`, an operator's destination, or the form of a `sealed` channel, whose `host` may be shown."""

    to: str
    sealed: str = field(default="", repr=False)
    host: str = ""
    # The hash of a feed's token; the token itself is not stored.
    feed: str = field(default="", repr=False)

    @property
    def shown(self) -> str:
        return f"{self.to} at {self.host}" if self.host else self.to


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """One row. `name` is unique in its tenant, `id` among all watches ever."""

    tenant: str
    name: str
    owner: str
    destination: WatchDestination
    pace: WatchPace
    id: str = field(default_factory=lambda: token_hex(8))
    query: str = ""
    filters: SearchFilters = field(default_factory=SearchFilters)
    # Subscriptions and groups whose retirements are watched instead of a search.
    scopes: tuple[str, ...] = ()
    created: float = 0.0
    expires: float = 0.0
    # When something may be sent next, and how far the update log was read.
    due: float = 0.0
    cursor: int = 0
    # The number of notices so far, which numbers the next one.
    notices: int = 0
    # The expiry that the owner was warned about.
    warned: float = 0.0
    # Why it can no longer search.
    trouble: str = ""
    # The etag of the row as read.
    version: str | None = field(default=None, compare=False)

    @property
    def key(self) -> str:
        return key_of(self.tenant, self.name)

    @property
    def content(self) -> bytes:
        return to_json({name: value for name, value in asdict(self).items() if name != "version"})

    @classmethod
    def read(cls, content: bytes, version: str | None) -> Self:
        kept: Mapping[str, Any] = from_json(content)
        parts = {
            "filters": _filters_in(kept["filters"]),
            "destination": WatchDestination(**kept["destination"]),
            "pace": WatchPace(kept["pace"]),
            "scopes": tuple(kept.get("scopes", ())),
        }
        return cls(**{**kept, **parts, "version": version})

    @property
    def searched(self) -> tuple[object, ...]:
        """What it watches."""
        return self.query, self.filters, self.scopes

    def is_expired(self, now: float) -> bool:
        return now >= self.expires

    def is_to_be_warned(self, now: float) -> bool:
        return self.warned != self.expires and self.expires - DAYS_WARNED_BEFORE * DAY <= now < self.expires

    def renewed(self, now: float) -> Self:
        return replace(self, expires=now + DAYS * DAY)


def _filters_in(kept: Mapping[str, Any]) -> SearchFilters:
    given: dict[str, Any] = {name: tuple(one) if isinstance(one, list) else one for name, one in kept.items()}
    return SearchFilters(**given)


def key_of(tenant: str, name: str) -> str:
    """The row key of a watch. Tenants are ids; callers without a tenant share one."""
    return f"{tenant or 'none'}.{name}"


def checked_name(name: str) -> str:
    """
    Raises:
        Refusal: It is not a valid watch name.
    """
    if not _NAME.fullmatch(name):
        raise Refusal(
            "`name` must be 1 to 48 lowercase letters, digits and hyphens, for example aks-retirements. Notices and"
            " later calls use this name."
        )
    return name
