"""Serializes JSON with pydantic's core. The core is imported on first use, because lists of tools do not need it."""

from __future__ import annotations

from typing import Any


def to_json(value: Any, **options: Any) -> bytes:
    """Serialize a value of any type that pydantic supports.

    Raises:
        ValueError: A part of the value cannot be represented in JSON.
    """
    from pydantic_core import to_json as written

    return written(value, **options)
