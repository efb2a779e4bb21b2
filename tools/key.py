"""The key to what stands behind tools: they name a service by it, and know nothing of how it is opened."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar, cast

from mcp_server.visit import Context

O = TypeVar("O")  # noqa: E741 - what is opened


@dataclass(frozen=True, slots=True)
class Key(Generic[O]):
    """Names one provider. What it opens is of this type."""

    name: str

    async def of(self, context: Context) -> O:
        """What the provider opened, for a tool."""
        return cast("O", await context.services.get(self))
