"""Finds the resources that the body of an action names. An action may change these resources."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from clients.azure.what_if.outlook import AffectedResource


def mentioned_resources(body: Mapping[str, Any]) -> list[AffectedResource]:
    """Return the resources whose IDs occur in a body. Their content is unknown."""
    ids = dict.fromkeys(one for one in _texts(body) if one.strip().lower().startswith("/subscriptions/"))
    return [AffectedResource(one, "modify", None, None) for one in ids]


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    inner = [*value, *value.values()] if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    for one in inner:
        yield from _texts(one)
