"""Gives each call of an Azure DevOps tool its own client, which acts with the caller's authorization."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final

from clients.azure_devops.reach import DevOpsReach
from identity.caller import Caller
from mcp_server.declarations.injection import Resolve
from mcp_server.visit import Context
from refusal import Refusal
from tools.key import Key

if TYPE_CHECKING:
    from clients.azure_devops.client import AzureDevOps
else:
    # A placeholder for the client's type, because the client is slow to import. The real type is imported when the
    # connection to Azure DevOps is opened.
    AzureDevOps = Any

AZURE_DEVOPS: Final[Key[AzureDevOpsAccess]] = Key("azure-devops")


# The parameter that selects the organization, if several are configured.
ORGANIZATION: Final = "organization"
Fetch = Callable[[str], Awaitable[bytes]]


@dataclass(frozen=True, slots=True)
class OrganizationRequest:
    """The caller, the requested organization, and the scope that the caller's roles allow."""

    caller: Caller
    organization: str | None
    reach: DevOpsReach


def _not_of_its_own(_organization: str | None) -> AzureDevOps:
    raise Refusal("This server does not read Azure DevOps without a signed-in user.")


@dataclass(frozen=True, slots=True)
class AzureDevOpsAccess:
    """Creates a client for each call. The clients share connections, but each acts with its caller's authorization."""

    client: Callable[[OrganizationRequest], AzureDevOps]
    # Downloads a file from an allowed host; None if the settings allow no hosts.
    fetch: Fetch | None = None
    # Returns the server's own client for an organization, for background reads. This client is never used for a caller.
    own: Callable[[str | None], AzureDevOps] = _not_of_its_own


async def client_of(context: Context) -> AzureDevOps:
    visit, tool = context.visit, context.calling
    if tool is None:
        raise TypeError("Azure DevOps is only available during a tool call.")
    reach = visit.grants.reach(tool.toolset, tool.name, tool.access)
    asked = OrganizationRequest(visit.caller, tool.choices.get(ORGANIZATION), reach)
    devops = (await AZURE_DEVOPS.of(context)).client(asked)
    return devops.anew() if context.is_changing else devops


async def _fetch_of(context: Context) -> Fetch:
    fetch = (await AZURE_DEVOPS.of(context)).fetch
    if fetch is None:
        raise Refusal("Attaching files from the web is disabled. Ask an operator to set ADO_ATTACHMENT_HOSTS.")
    return fetch


DevOps = Annotated[AzureDevOps, Resolve(client_of)]
Fetching = Annotated[Fetch, Resolve(_fetch_of)]
