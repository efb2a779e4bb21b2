"""Converts days and ranges of days between the formats of callers and the service."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from refusal import Refusal


def moment(when: date) -> str:
    """Return a day in the service's format: midnight UTC, whatever the local time zone is."""
    return f"{when.isoformat()}T00:00:00Z"


def day(text: str) -> date:
    """Parse a day from a caller.

    Raises:
        Refusal: The text is not a valid day.
    """
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        raise Refusal(f"{text!r} is not a day. Use 2026-05-04, or 2026-05-04/2026-05-08 for several days.") from None


def span(between: Mapping[str, str]) -> str:
    """Return a range of days in the format that callers use."""
    return f"{between['start'][:10]}/{between['end'][:10]}"


def moments(text: str) -> dict[str, str]:
    """Return the first and last day of a range such as 2026-05-04/2026-05-08, or of a single day.

    Raises:
        Refusal: The range is invalid.
    """
    first, _, last = text.partition("/")
    start, end = day(first), day(last or first)
    if end < start:
        raise Refusal(f"{text!r} ends before it begins.")
    return {"start": moment(start), "end": moment(end)}
