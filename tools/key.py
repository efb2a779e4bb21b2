"""A key identifies a service for the tools that use it. The tools do not need to know how the service is opened."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar, cast

from mcp_server.visit import Context

O = TypeVar("O")  # noqa: E741 - what is opened


@dataclass(frozen=True, slots=True)
class Key(Generic[O]):
    """A key: the name of a provider, and the type of the service that this provider opens."""

    name: str

    async def of(self, context: Context) -> O:
        """Return the provider's service for use in a tool."""
        return cast("O", await context.services.get(self))
