"""What expressions do with values: nothing, texts, numbers, moments, spans, lists and bags."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from typing import Any, Final

SPANS: Final = {"d": "days", "h": "hours", "m": "minutes", "s": "seconds", "ms": "milliseconds"}


def text_of(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime | timedelta):
        return str(told(value))
    if isinstance(value, dict | list):
        return json.dumps(value, separators=(",", ":"))
    return str(value)


def told(value: Any) -> Any:
    """As an answer has it."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f0Z")
    if isinstance(value, timedelta):
        days = f"{value.days}." if value.days else ""
        return f"{days}{value.seconds // 3600:02}:{value.seconds // 60 % 60:02}:{value.seconds % 60:02}"
    if isinstance(value, dict):
        return {name: told(one) for name, one in value.items()}
    return [told(one) for one in value] if isinstance(value, list) else value


def moment_of(value: Any) -> datetime | None:
    if isinstance(value, datetime):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return datetime.fromtimestamp(value / 1000, UTC)
    text = re.sub(r"(\.\d{6})\d+", r"\1", str(value or "").strip())
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def span_of(text: str) -> timedelta:
    found = re.fullmatch(r"([\d.]+)([a-z]+)", text)
    assert found, text
    return timedelta(**{SPANS[found[2]]: float(found[1])})


def number_of(value: Any) -> float | None:
    try:
        return float(value) if value not in {None, ""} else None
    except (TypeError, ValueError):
        return None


def whole_of(value: Any) -> int | None:
    number = number_of(value)
    return None if number is None else int(number)


def compared(left: Any, right: Any) -> int | None:
    """Less, equal or greater; nothing where the two cannot be compared."""
    if isinstance(left, datetime) or isinstance(right, datetime):
        left, right = moment_of(left), moment_of(right)
    elif isinstance(left, int | float) != isinstance(right, int | float):
        left, right = number_of(left), number_of(right)
    if left is None or right is None or isinstance(left, dict | list):
        return None
    return (left > right) - (left < right) if type(left) is type(right) or _are_numbers(left, right) else None


def _are_numbers(*values: Any) -> bool:
    return all(isinstance(value, int | float) for value in values)


def equal(left: Any, right: Any) -> bool:
    if isinstance(left, dict | list) or isinstance(right, dict | list):
        return bool(left == right)
    if isinstance(left, bool) or isinstance(right, bool):
        return text_of(left).lower() == text_of(right).lower()
    if left is None or right is None:
        # A text that is missing is an empty one.
        return text_of(left) == text_of(right) == "" and (left is right or isinstance(left or right, str | None))
    return compared(left, right) == 0


def has(text: str, term: str) -> bool:
    """Whether a term stands in a text, between what is neither letter nor digit."""
    return bool(re.search(rf"(?<![A-Za-z0-9]){re.escape(term)}(?![A-Za-z0-9])", text, re.IGNORECASE))


def member(value: Any, name: Any) -> Any:
    if isinstance(value, dict):
        return value.get(name)
    if isinstance(value, list) and isinstance(name, int):
        return value[name] if -len(value) <= name < len(value) else None
    return None


def sorted_by(value: Any) -> tuple[int, Any]:
    """A key that brings everything into one order, nothing first."""
    if value is None:
        return 0, ""
    if isinstance(value, bool | int | float):
        return 1, value
    if isinstance(value, datetime):
        return 2, value.timestamp()
    return 3, text_of(value).lower()
