"""The question about an incident: the subject, the period, and the time when the subject broke."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, Self

from clients.azure.times import moment
from refusal import Refusal

_LONGEST: Final = timedelta(days=90)
_AFTERWARDS: Final = timedelta(hours=3)


@dataclass(frozen=True, slots=True)
class IncidentQuestion:
    resource: str
    since: datetime
    until: datetime
    broke_at: datetime | None = None

    @classmethod
    def of(cls, resource: str, since: str, until: str | None, broke_at: str | None) -> Self:
        """Parse the arguments. A relative `since` counts back from `broke_at` or, by default, the period's end."""
        now = datetime.now(UTC).replace(microsecond=0)
        end = min(_moment("until", until, is_end=True), now) if until else now
        broke = _moment("broke_at", broke_at) if broke_at else None
        begin = _moment("since", since)
        if "-" not in since:
            begin -= now - (broke or end)
        asked = cls(resource.strip(), max(begin, now - _LONGEST), end, broke)
        asked._check()
        return asked

    def _check(self) -> None:
        if self.since >= self.until:
            raise Refusal("`since` is after `until` or more than 90 days ago. Azure keeps history for 90 days.")
        if self.broke_at and not self.since <= self.broke_at <= self.until:
            raise Refusal(
                "`broke_at` must be between `since` and `until`. Otherwise, changes before `broke_at` would be missed."
            )

    @property
    def last(self) -> datetime:
        """The time of the newest entry that matters. Long lists are sorted newest first, so newer entries can be
        skipped.
        """
        return min(self.until, self.broke_at + _AFTERWARDS) if self.broke_at else self.until

    def has(self, at: datetime) -> bool:
        return self.since <= at <= self.until


def _moment(name: str, text: str, *, is_end: bool = False) -> datetime:
    return datetime.fromisoformat(moment(name, text, is_end=is_end))


def written(at: datetime) -> str:
    """Format a time in the way that Azure does, for requests and answers."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
