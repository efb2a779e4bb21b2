"""Converts days and ranges of days between callers and the service."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from refusal import Refusal


def moment(when: date) -> str:
    """A day as the service writes it: midnight UTC, regardless of time zones."""
    return f"{when.isoformat()}T00:00:00Z"


def day(text: str) -> date:
    """Parse a day from a caller.

    Raises:
        Refusal: It is not a day.
    """
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        raise Refusal(f"{text!r} is not a day. Use 2026-05-04, or 2026-05-04/2026-05-08 for several.") from None


def span(between: Mapping[str, str]) -> str:
    """A range of days as a caller writes it."""
    return f"{between['start'][:10]}/{between['end'][:10]}"


def moments(text: str) -> dict[str, str]:
    """The first and last day of one day or a range such as 2026-05-04/2026-05-08.

    Raises:
        Refusal: It is not a valid range.
    """
    first, _, last = text.partition("/")
    start, end = day(first), day(last or first)
    if end < start:
        raise Refusal(f"{text!r} ends before it begins.")
    return {"start": moment(start), "end": moment(end)}
