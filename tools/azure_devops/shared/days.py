"""Days and spans of days, as callers write them and as the service takes them."""

from __future__ import annotations

from datetime import date

from refusal import Refusal


def moment(day: date) -> str:
    """A day as the service has it: its midnight in UTC, whatever the time zone."""
    return f"{day.isoformat()}T00:00:00Z"


def moments(text: str) -> dict[str, str]:
    """The first and the last day of a span such as 2026-05-04/2026-05-08, or of one day.

    Raises:
        Refusal: It is no such span.
    """
    first, _, last = text.strip().partition("/")
    try:
        start = date.fromisoformat(first)
        end = date.fromisoformat(last or first)
    except ValueError:
        raise Refusal(f"{text!r} is no day: write 2026-05-04, or 2026-05-04/2026-05-08 for several.") from None
    if end < start:
        raise Refusal(f"{text!r} ends before it begins.")
    return {"start": moment(start), "end": moment(end)}
