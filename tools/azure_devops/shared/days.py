"""Days and spans of days, as callers write them and as the service takes them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from refusal import Refusal


def moment(when: date) -> str:
    """A day as the service has it: its midnight in UTC, whatever the time zone."""
    return f"{when.isoformat()}T00:00:00Z"


def day(text: str) -> date:
    """A day as a caller writes it.

    Raises:
        Refusal: It is none.
    """
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        raise Refusal(f"{text!r} is no day: write 2026-05-04, and 2026-05-04/2026-05-08 for several.") from None


def span(between: Mapping[str, str]) -> str:
    """A span as a caller writes it."""
    return f"{between['start'][:10]}/{between['end'][:10]}"


def moments(text: str) -> dict[str, str]:
    """The first and the last day of a span such as 2026-05-04/2026-05-08, or of one day.

    Raises:
        Refusal: It is no such span.
    """
    first, _, last = text.partition("/")
    start, end = day(first), day(last or first)
    if end < start:
        raise Refusal(f"{text!r} ends before it begins.")
    return {"start": moment(start), "end": moment(end)}
