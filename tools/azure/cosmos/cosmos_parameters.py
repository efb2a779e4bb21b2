"""Shared code of the Cosmos DB tools: parameters, and the display of throughput."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Final

from clients.answers import Json, present
from clients.azure.client import Azure
from clients.azure.cosmos.accounts import CosmosAccount
from clients.azure.cosmos.contents import CosmosPart, Throughput, throughput
from clients.side_by_side import SourceReading, side_by_side
from mcp_server.declarations.field import Field

AccountName = Annotated[str, Field(min_length=3, max_length=2048, description="Name or id")]

# Parameters whose values may appear in audit records.
OF_ACCOUNT: Final = ("account", "subscription")
_SERVERLESS: Final = "serverless: billed per request"


class Throughputs:
    """Reads the dedicated throughput of databases and containers in parallel."""

    def __init__(self, azure: Azure, account: CosmosAccount) -> None:
        self._azure, self._account = azure, account
        self._found: dict[str, Throughput | None] = {}

    async def read(self, parts: Iterable[CosmosPart]) -> SourceReading:
        """Read the throughput of these databases and containers. Serverless accounts have no throughput."""
        unread = {} if self._account.is_serverless else {part.path: part for part in parts}
        return await side_by_side(unread, self._ask)

    def of(self, part: CosmosPart) -> Json | str | None:
        """Return the dedicated throughput of a database or container; None if it is unknown or not set."""
        if self._account.is_serverless:
            return _SERVERLESS
        found = self._found.get(part.path)
        return _shown(found) if found else None

    def has_read(self, part: CosmosPart) -> bool:
        return part.path in self._found

    async def _ask(self, part: CosmosPart) -> None:
        self._found[part.path] = await throughput(self._azure, part.id)


def _shown(found: Throughput) -> Json:
    record = found.record
    return present(
        {
            "mode": "autoscale" if found.highest else "manual",
            "request_units": None if found.highest else record.get("throughput"),
            "up_to": found.highest,
            "now": record.get("throughput") if found.highest else None,
            "least": _number(record.get("minimumThroughput")),
            "most_at_once": _number(record.get("instantMaximumThroughput")),
            "being_changed": record.get("offerReplacePending") in {True, "true", "True"} or None,
        }
    )


def _number(text: object) -> object:
    return int(text) if isinstance(text, str) and text.isdecimal() else text
