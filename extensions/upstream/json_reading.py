"""Parses JSON from other servers, no deeper than it can be serialized again."""

from __future__ import annotations

from typing import Any, Final

from pydantic_core import PydanticSerializationError, to_json

from clients.decoding import decoded

# Of the 255 levels that can be written, these are reserved for the envelope.
_LEVELS_AROUND: Final = 55


def read(data: bytes) -> Any:
    """Raises:
    ValueError: It is not JSON, or too large.
    RecursionError: It is nested too deeply to parse.
    """
    value = decoded(data.decode())
    around: Any = value
    for _ in range(_LEVELS_AROUND):
        around = [around]
    try:
        to_json(around)
    except PydanticSerializationError:
        raise ValueError("It is nested too deeply to serialize again.") from None
    return value
