"""The way to Azure, opened: it is imported when the first tool is called."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

from clients.azure.client import Azure
from clients.azure.connection import Connection
from clients.azure.failures import Advice
from clients.azure.messages import PatientExchange
from clients.kept import Kept
from identity.caller import Caller, Kind
from identity.challenges import claims_challenge
from tools.azure.declared import AzureSettings
from tools.azure.provider import HINTS, AzureAccess, reach_of
from tools.provider import Supplies

if TYPE_CHECKING:
    from clients.rest import Transport


@asynccontextmanager
async def opened(
    settings: AzureSettings, supplies: Supplies, transport: Transport | None = None
) -> AsyncIterator[AzureAccess]:
    kept, reach = Kept(), reach_of(settings)

    def client(caller: Caller) -> Azure:
        # Only a user can bring further claims.
        advice = Advice(HINTS, claims_challenge if caller.kind is Kind.USER else None)
        authorize = partial(supplies.upstream.authorization, caller)
        exchange: PatientExchange = connection
        if not reach.is_everything:
            from clients.azure.confinement.confined import Confined  # noqa: PLC0415 - few have a lock

            exchange = Confined(connection, supplies.cloud.manager, authorize, reach, caller.person, advice, kept)
        azure = Azure(exchange, supplies.cloud, authorize, subscription=settings.subscription, advice=advice)
        return azure.remembering(kept, caller.person)

    async with Connection(transport=transport) as connection:
        yield AzureAccess(client)
