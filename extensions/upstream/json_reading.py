"""Parses JSON from extensions. Rejects JSON that is nested too deeply to be serialized again."""

from __future__ import annotations

from typing import Any, Final

from pydantic_core import PydanticSerializationError, to_json

from clients.decoding import decoded

# Serialized JSON may have 255 levels of nesting. This many levels are reserved for the message that contains the JSON.
_LEVELS_AROUND: Final = 55


def read(data: bytes) -> Any:
    """Parse JSON. Raises ValueError if it is invalid or too large, and RecursionError if it is nested too deeply."""
    value = decoded(data.decode())
    around: Any = value
    for _ in range(_LEVELS_AROUND):
        around = [around]
    try:
        to_json(around)
    except PydanticSerializationError:
        raise ValueError("The JSON is nested too deeply to serialize again.") from None
    return value
