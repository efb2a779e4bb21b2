"""Reading what another server sent: JSON, and no deeper than it can be written again."""

from __future__ import annotations

from typing import Any, Final

from pydantic_core import PydanticSerializationError, to_json

from clients.decoding import decoded

# Of the 255 levels that can be written, these are for what is put around it.
_LEVELS_AROUND: Final = 55


def read(data: bytes) -> Any:
    """Raises:
    ValueError: It is no JSON, or there is too much of it.
    RecursionError: It is nested deeper than can be read.
    """
    value = decoded(data.decode())
    around: Any = value
    for _ in range(_LEVELS_AROUND):
        around = [around]
    try:
        to_json(around)
    except PydanticSerializationError:
        raise ValueError("It is nested deeper than can be written again.") from None
    return value
