"""JSON as it is sent, by pydantic's core, which is loaded when something is first written that is no list."""

from __future__ import annotations

from typing import Any


def to_json(value: Any, **options: Any) -> bytes:
    """Write a value of any type that pydantic knows.

    Raises:
        ValueError: There is something in it that JSON cannot say.
    """
    from pydantic_core import to_json as written

    return written(value, **options)
