"""Providers that are open already, with whatever a test gives them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tools.provider import Provider


class Opened:
    """Stands where the providers of an app stand."""

    def __init__(self, by_provider: Mapping[Provider[Any, Any], Any]) -> None:
        self._by_provider = by_provider

    async def get(self, provider: Provider[Any, Any]) -> Any:
        return self._by_provider[provider]

    def has(self, provider: Provider[Any, Any]) -> bool:
        return provider in self._by_provider
