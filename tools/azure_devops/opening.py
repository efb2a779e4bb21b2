"""Opens the connection to Azure DevOps. This module is imported on the first tool call."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from clients.advice import Advice
from clients.azure_devops.client import Authorize, AzureDevOps
from clients.azure_devops.connection import DevOpsConnection, basic_authorization
from clients.azure_devops.messages import DevOpsExchange
from clients.kept import Kept
from identity.caller import CallerKind
from identity.challenges import claims_challenge
from tools.azure_devops.access import AzureDevOpsAccess, OrganizationRequest
from tools.azure_devops.organizations import OrganizationAccess, place_for, places_of, reach_of
from tools.azure_devops.settings import HINTS, SCOPE, AzureDevOpsSettings
from tools.azure_devops.trust import transport_trusting
from tools.provider import Supplies

if TYPE_CHECKING:
    from clients.rest import Transport

_LARGEST_FILE: Final = 2 * 1024 * 1024
_SECONDS_TO_FETCH: Final = 20.0


@asynccontextmanager
async def opened(
    settings: AzureDevOpsSettings, supplies: Supplies, transport: Transport | None = None
) -> AsyncIterator[AzureDevOpsAccess]:
    places, kept, deployed = places_of(settings), Kept(), reach_of(settings)

    def own(organization: str | None) -> AzureDevOps:
        place = place_for(organization, places, deployed)
        authorize: Authorize = partial(supplies.upstream.own_authorization, SCOPE)
        if place.token:
            authorize = partial(_constant, basic_authorization(place.token))
        return made(place, authorize, (place.organization.base, ""), Advice(HINTS))

    def client(asked: OrganizationRequest) -> AzureDevOps:
        place = place_for(asked.organization, places, deployed & asked.reach)
        authorize: Authorize
        if place.token:
            authorize = partial(_constant, basic_authorization(place.token))
        else:
            authorize = partial(supplies.upstream.authorization, asked.caller, SCOPE)
        # Only a user can satisfy a claims challenge.
        is_user = not place.token and asked.caller.kind is CallerKind.USER
        advice = Advice(HINTS, claims_challenge if is_user else None)
        who = place.organization.base, "" if place.token else asked.caller.person
        return made(place, authorize, who, advice)

    def made(place: OrganizationAccess, authorize: Authorize, who: tuple[Any, ...], advice: Advice) -> AzureDevOps:
        exchange: DevOpsExchange = services if place.organization.is_cloud else servers
        if not place.reach.is_everything:
            from clients.azure_devops.confinement.confined import ConfinedDevOps  # noqa: PLC0415 - few limit the scope

            exchange = ConfinedDevOps(exchange, place.organization, place.reach, who, advice, kept)
        devops = AzureDevOps(exchange, place.organization, authorize, project=place.default_project, advice=advice)
        return devops.remembering(kept, (*who, place.reach))

    async with (
        DevOpsConnection(transport=transport) as services,
        DevOpsConnection(transport=transport or _transport_to_servers(settings)) as servers,
    ):
        yield AzureDevOpsAccess(client, partial(_fetched, settings) if settings.attachment_hosts else None, own)


def _transport_to_servers(settings: AzureDevOpsSettings) -> Transport | None:
    return transport_trusting(settings.authorities) if settings.authorities else None


async def _constant(authorization: str) -> str:
    return authorization


async def _fetched(settings: AzureDevOpsSettings, url: str) -> bytes:
    from clients.public_fetch import fetch_public  # noqa: PLC0415 - few fetch files

    found = await fetch_public(
        url, allowed_hosts=settings.attachment_hosts, largest=_LARGEST_FILE, seconds=_SECONDS_TO_FETCH
    )
    return found.body
