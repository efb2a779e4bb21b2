"""Converts dates from callers to the times that the service accepts."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from typing import Annotated, Final

from mcp_server.declarations.field import Field
from refusal import Refusal

Day = Annotated[str | None, Field(description="ISO date or time")]

_MIDNIGHT: Final = time.min
_LAST_MOMENT: Final = time(23, 59, 59, 999000)


def beginning(name: str, text: str | None) -> str | None:
    """Return the start of a period. A date without a time means the beginning of that day."""
    return _moment(name, text, _MIDNIGHT) if text else None


def end(name: str, text: str | None) -> str | None:
    """Return the end of a period. A date without a time means the end of that day."""
    return _moment(name, text, _LAST_MOMENT) if text else None


def _moment(name: str, text: str, hour: time) -> str:
    try:
        meant = _read(text, hour)
        # Times without a time zone are in UTC.
        in_utc = meant.replace(tzinfo=meant.tzinfo or UTC).astimezone(UTC)
    except (ValueError, OverflowError):
        raise Refusal(f"`{name}` must be a date, for example 2026-01-31 or 2026-01-31T08:00:00Z.") from None
    return in_utc.isoformat(timespec="milliseconds" if in_utc.microsecond else "seconds").replace("+00:00", "Z")


def _read(text: str, hour: time) -> datetime:
    try:
        return datetime.combine(date.fromisoformat(text), hour)
    except ValueError:
        return datetime.fromisoformat(text)
