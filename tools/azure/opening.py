"""Opens the connection to Azure. This module is imported on the first tool call."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Hashable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Final

from clients.advice import Advice
from clients.azd_gallery import ADDRESS, HOST, LARGEST, SECONDS, Fetch, Gallery
from clients.azure import prices
from clients.azure.client import Azure
from clients.azure.connection import AzureConnection
from clients.azure.messages import Authorize, PatientExchange
from clients.azure.prices import FetchPrices, PriceList
from clients.kept import Kept
from identity import unverified_token
from identity.caller import Caller, CallerKind
from identity.challenges import claims_challenge
from identity.denial import Denial
from refusal import Refusal
from tools.azure.access import AzureAccess, FetchLink
from tools.azure.settings import HINTS, PURPOSE, AzureSettings, reach_of
from tools.provider import Supplies

if TYPE_CHECKING:
    from azure_operations.library import OperationsLibrary
    from clients.rest import Transport

_SECONDS_OF_A_LINK: Final = 15.0


@dataclass
class _Ways:
    """Creates clients that call Azure on behalf of a caller or as the app itself.

    All clients share connections and the allowed scope.
    """

    connection: AzureConnection
    settings: AzureSettings
    supplies: Supplies
    prices: PriceList
    kept: Kept = field(default_factory=Kept)

    def of_caller(self, caller: Caller) -> Azure:
        # Only callers who are users can satisfy a claims challenge.
        advice = Advice(HINTS, claims_challenge if caller.kind is CallerKind.USER else None)
        return self._azure(partial(self.supplies.upstream.authorization, caller), caller.person, advice)

    def own(self) -> Azure:
        return self._azure(self.supplies.upstream.own_authorization, "own identity", Advice(HINTS))

    async def claims(self, caller: Caller) -> Mapping[str, Any]:
        authorization = await self.supplies.upstream.authorization(caller, self.supplies.cloud.manager.scope)
        return _claims(authorization.removeprefix("Bearer "))

    def operations(self) -> OperationsLibrary:
        azure = Azure(self.connection, self.supplies.cloud, self.supplies.upstream.own_authorization)
        from azure_operations.library import OperationsLibrary  # noqa: PLC0415 - few calls search operations

        return OperationsLibrary(self.supplies.storage(PURPOSE), azure)

    def _azure(self, authorize: Authorize, who: Hashable, advice: Advice) -> Azure:
        reach, cloud = reach_of(self.settings), self.supplies.cloud

        def over(exchange: PatientExchange) -> Azure:
            azure = Azure(exchange, cloud, authorize, subscription=self.settings.subscription, advice=advice)
            azure = azure.remembering(self.kept, who).looking_up(people=self.settings.reads_directory)
            return azure.pricing(self.prices)

        if reach.is_everything:
            return over(self.connection)
        from clients.azure.confinement.confined import ConfinedAzure  # noqa: PLC0415 - few changes meet a lock

        directory = cloud.directory if self.settings.reads_directory else None
        confined = ConfinedAzure(self.connection, cloud.manager, authorize, reach, who, advice, self.kept, directory)
        return over(confined).within(confined)


@asynccontextmanager
async def opened(
    settings: AzureSettings,
    supplies: Supplies,
    transport: Transport | None = None,
    fetch: Fetch | None = None,
    fetch_link: FetchLink | None = None,
    fetch_prices: FetchPrices | None = None,
) -> AsyncIterator[AzureAccess]:
    async with AzureConnection(transport=transport) as connection:
        ways = _Ways(connection, settings, supplies, _prices(settings, supplies, fetch_prices))
        operations = cache(ways.operations)
        gallery = Gallery(fetch or _fetched)
        try:
            links = fetch_link or partial(_linked, settings.template_hosts)
            yield AzureAccess(
                ways.of_caller, ways.claims, operations, gallery, ways.own, links, supplies.scopes_of_work
            )
        finally:
            if operations.cache_info().currsize:
                await operations().end()


async def _fetched() -> bytes:
    from clients.public_fetch import fetch_public  # noqa: PLC0415 - few calls search templates

    return (await fetch_public(ADDRESS, allowed_hosts={HOST}, largest=LARGEST, seconds=SECONDS)).body


def _prices(settings: AzureSettings, supplies: Supplies, fetch: FetchPrices | None) -> PriceList:
    """Return the public price list, which covers only the public cloud."""
    is_public = supplies.cloud.name == "public" and not supplies.cloud.is_emulated
    return PriceList((fetch or (_priced if is_public else None)) if settings.shows_prices else None)


async def _priced(address: str) -> bytes:
    from clients.public_fetch import fetch_public  # noqa: PLC0415 - few changes need a price

    found = await fetch_public(address, allowed_hosts={prices.HOST}, largest=prices.LARGEST, seconds=prices.SECONDS)
    return found.body


async def _linked(hosts: Collection[str], address: str, largest: int) -> bytes:
    from clients.public_fetch import fetch_public  # noqa: PLC0415 - few calls deploy from a link

    if not hosts:
        raise Refusal("Template links are disabled. Ask an operator to add the link's host to AZURE_TEMPLATE_HOSTS.")
    return (await fetch_public(address, allowed_hosts=hosts, largest=largest, seconds=_SECONDS_OF_A_LINK)).body


def _claims(token: str) -> Mapping[str, Any]:
    """Read the claims of a token. The token was just issued to this app, so its signature needs no check."""
    try:
        return unverified_token.read(token).claims
    except Denial:
        return {}  # the service that issues the token chooses the format, so the claims might not be readable
