"""Providers that are open already, with whatever a test gives them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tools.key import Key


class Opened:
    """Stands where the providers of an app stand."""

    def __init__(self, by_key: Mapping[Key[Any], Any]) -> None:
        self._by_key = by_key

    async def get(self, key: Key[Any]) -> Any:
        return self._by_key[key]

    def has(self, key: Key[Any]) -> bool:
        return key in self._by_key
