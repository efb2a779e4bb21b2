"""Builds the way to Azure DevOps from the settings: where it is, and in whose name it is called."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from mcp.server.mcpserver import Context

from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.organization import Organization
from identity.caller import Kind
from mcp_server.visit import visit_of
from refusal import Refusal
from settings import Settings

if TYPE_CHECKING:
    from clients.rest import Transport
    from identity.upstream import Upstream

# What is missing where there is no Azure DevOps, by the group of toolsets that lack it.
ABSENT: Final = {"devops": "Azure DevOps is not configured. An operator has to set ADO_ORG_URL."}
_SCOPE: Final = "499b84ac-1321-427f-aa17-267ca6975798/.default"
_LARGEST_FILE: Final = 2 * 1024 * 1024
_SECONDS_TO_FETCH: Final = 20.0


def check(of: Settings) -> None:
    """See whether the settings can be right.

    Raises:
        Refusal: They cannot.
    """
    if of.ado_url and not (Organization.at(of.ado_url).is_cloud or of.ado_token):
        raise Refusal("The setting ADO_PAT is missing: an Azure DevOps Server takes no sign-in of Entra ID.")


@asynccontextmanager
async def reached(
    of: Settings, upstream: Upstream, transport: Transport | None = None
) -> AsyncIterator[Callable[[Context[Any, Any]], AzureDevOps]]:
    """Give what makes the client of one call: all share the connections, and each has its caller's authorization."""
    from clients.azure_devops.connection import Connection, basic_authorization
    from identity.challenges import encoded_challenge

    organization = Organization.at(of.ado_url)
    async with Connection(transport=transport) as connection:

        def client(context: Context[Any, Any]) -> AzureDevOps:
            caller = visit_of(context.request_context).caller
            if of.ado_token:
                token = basic_authorization(of.ado_token)
                return AzureDevOps(connection, organization, partial(_constant, token), project=of.ado_project)
            authorize = partial(upstream.authorization, caller, _SCOPE)
            # Only a user can bring further claims.
            challenge = encoded_challenge if caller.kind is Kind.USER else None
            return AzureDevOps(connection, organization, authorize, project=of.ado_project, challenge=challenge)

        yield client


async def _constant(authorization: str) -> str:
    return authorization


async def fetched(of: Settings, url: str) -> bytes:
    """What is at an address of one of the hosts that the settings allow."""
    from clients.public_fetch import fetch_public

    found = await fetch_public(
        url, allowed_hosts=of.ado_attachment_hosts, largest=_LARGEST_FILE, seconds=_SECONDS_TO_FETCH
    )
    return found.body
