"""Cosmos DB: its accounts, what is in them and how that is laid out, and changing it; no data, and no keys."""

from __future__ import annotations

from typing import Final

from tools.azure.cosmos import accounts, clearing, containers, databases, making, owning, relaying, throughputs

parts: Final = (
    *(accounts.part, databases.part, containers.part),
    *(owning.part, making.part, relaying.part, throughputs.part, clearing.part),
)
