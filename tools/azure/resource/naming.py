"""Finds a resource by its name alone."""

from __future__ import annotations

from typing import Annotated

from clients.azure.named import place_called as meant_resource
from mcp_server.declarations.field import Field

__all__ = ["IdOrName", "meant_resource"]

IdOrName = Annotated[str, Field(min_length=1, max_length=2048, description="/subscriptions/..., or the full name")]
