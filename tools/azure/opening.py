"""The way to Azure, opened: it is imported when the first tool is called."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from clients.advice import Advice
from clients.azd_gallery import ADDRESS, HOST, LARGEST, SECONDS, Fetch, Gallery
from clients.azure.client import Azure
from clients.azure.connection import Connection
from clients.azure.messages import PatientExchange
from clients.kept import Kept
from identity import unverified_token
from identity.caller import Caller, Kind
from identity.challenges import claims_challenge
from identity.denial import Denial
from tools.azure.declared import AzureSettings
from tools.azure.provider import HINTS, PURPOSE, AzureAccess, library_in, reach_of
from tools.provider import Supplies

if TYPE_CHECKING:
    from azure_operations.library import Library
    from clients.rest import Transport


@asynccontextmanager
async def opened(
    settings: AzureSettings, supplies: Supplies, transport: Transport | None = None, fetch: Fetch | None = None
) -> AsyncIterator[AzureAccess]:
    kept, reach = Kept(), reach_of(settings)

    def client(caller: Caller) -> Azure:
        # Only a user can bring further claims.
        advice = Advice(HINTS, claims_challenge if caller.kind is Kind.USER else None)
        authorize = partial(supplies.upstream.authorization, caller)

        def azure_over(exchange: PatientExchange) -> Azure:
            azure = Azure(exchange, supplies.cloud, authorize, subscription=settings.subscription, advice=advice)
            return azure.remembering(kept, caller.person).looking_up(people=settings.reads_directory)

        if reach.is_everything:
            return azure_over(connection)
        from clients.azure.confinement.confined import Confined  # noqa: PLC0415 - few have a lock

        directory = supplies.cloud.directory if settings.reads_directory else None
        confined = Confined(
            connection, supplies.cloud.manager, authorize, reach, caller.person, advice, kept, directory
        )
        return azure_over(confined).within(confined)

    async def claims(caller: Caller) -> Mapping[str, Any]:
        authorization = await supplies.upstream.authorization(caller, supplies.cloud.manager.scope)
        return _claims(authorization.removeprefix("Bearer "))

    @cache
    def operations() -> Library:
        own = Azure(connection, supplies.cloud, supplies.upstream.own_authorization)
        return library_in(supplies.storage(PURPOSE), own)

    async with Connection(transport=transport) as connection:
        try:
            yield AzureAccess(client, claims, operations, Gallery(fetch or _fetched))
        finally:
            if operations.cache_info().currsize:
                await operations().end()


async def _fetched() -> bytes:
    from clients.public_fetch import fetch_public  # noqa: PLC0415 - few look for templates

    return (await fetch_public(ADDRESS, allowed_hosts={HOST}, largest=LARGEST, seconds=SECONDS)).body


def _claims(token: str) -> Mapping[str, Any]:
    """What is in a token that was just given to this app: nobody else could have written it."""
    try:
        return unverified_token.read(token).claims
    except Denial:
        return {}  # the form of a token is a matter of the service that it is for
