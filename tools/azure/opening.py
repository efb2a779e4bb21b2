"""The way to Azure, opened: it is imported when the first tool is called."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

from clients.azure.client import Azure
from clients.azure.connection import Connection
from clients.azure.failures import Advice
from clients.kept import Kept
from identity.caller import Caller, Kind
from identity.challenges import claims_challenge
from tools.azure.declared import AzureSettings
from tools.azure.provider import HINTS, AzureAccess
from tools.provider import Supplies

if TYPE_CHECKING:
    from clients.rest import Transport


@asynccontextmanager
async def opened(
    settings: AzureSettings, supplies: Supplies, transport: Transport | None = None
) -> AsyncIterator[AzureAccess]:
    kept = Kept()

    def client(caller: Caller) -> Azure:
        # Only a user can bring further claims.
        advice = Advice(HINTS, claims_challenge if caller.kind is Kind.USER else None)
        authorize = partial(supplies.upstream.authorization, caller)
        azure = Azure(connection, supplies.cloud, authorize, subscription=settings.subscription, advice=advice)
        return azure.remembering(kept, caller.person)

    async with Connection(transport=transport) as connection:
        yield AzureAccess(client)
