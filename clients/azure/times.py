"""Parses times in arguments: a day, a time, or a duration such as 24h for "24 hours ago"."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final

from clients.azure.spans import TimeSpan
from refusal import Refusal

_AGO: Final = re.compile(r"(\d{1,5})\s*(m|h|d|w)", re.IGNORECASE)
_FRACTION: Final = re.compile(r"(?<=:\d\d)\.\d+(?=Z|[+-]|\Z)")
_SECONDS: Final = {"m": 60, "h": 3600, "d": 86_400, "w": 604_800}


def moment(name: str, text: str, *, is_end: bool = False) -> str:
    """Convert a time to Azure's format. A day means its start or, if `is_end` is set, its end.

    Raises:
        Refusal: The time is invalid.
    """
    try:
        meant = _read(text.strip(), time.max if is_end else time.min)
        in_utc = meant.replace(tzinfo=meant.tzinfo or UTC).astimezone(UTC)
    except (ValueError, OverflowError):
        raise Refusal(f"`{name}` must be a time, for example 24h, 7d, 2026-01-31 or 2026-01-31T08:00:00Z.") from None
    return in_utc.isoformat(timespec="seconds").replace("+00:00", "Z")


def span(since: str, until: str | None) -> TimeSpan:
    """The time span between two times. If `until` is missing, the time span ends now.

    Raises:
        Refusal: A time is invalid, or `since` is not before `until`.
    """
    meant = TimeSpan(moment("since", since), moment("until", until or "0m", is_end=True))
    if meant.seconds <= 0:
        raise Refusal(f"`since` ({meant.since}) must be before `until` ({meant.until}).")
    return meant


def to_seconds(time: Any) -> str | None:
    """A time in Azure's format, without fractions of a second."""
    return _FRACTION.sub("", str(time)) if time else None


def _read(text: str, hour: time) -> datetime:
    if ago := _AGO.fullmatch(text):
        return datetime.now(UTC) - timedelta(seconds=int(ago[1]) * _SECONDS[ago[2].lower()])
    try:
        return datetime.combine(date.fromisoformat(text), hour)
    except ValueError:
        return datetime.fromisoformat(text)
