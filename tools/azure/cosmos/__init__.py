"""Cosmos DB: accounts, and how their databases and containers are laid out. No data, and no keys."""

from __future__ import annotations

from typing import Final

from tools.azure.cosmos import accounts, containers, databases

parts: Final = (accounts.part, databases.part, containers.part)
