"""Serializes JSON with pydantic's core, which is loaded when something other than a list is first written."""

from __future__ import annotations

from typing import Any


def to_json(value: Any, **options: Any) -> bytes:
    """Serialize a value of any type that pydantic supports.

    Raises:
        ValueError: It contains something that JSON cannot represent.
    """
    from pydantic_core import to_json as written

    return written(value, **options)
