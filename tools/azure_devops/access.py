"""How the tools of Azure DevOps get at it: the client of one call, made for its caller."""

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
    # Of what a tool takes, the SDK wants to know only how it is made: the client is imported where it is opened.
    AzureDevOps = Any

AZURE_DEVOPS: Final[Key[AzureDevOpsAccess]] = Key("azure-devops")


# The parameter by which a call names its organization, where there are several.
ORGANIZATION: Final = "organization"
Fetch = Callable[[str], Awaitable[bytes]]


@dataclass(frozen=True, slots=True)
class OrganizationRequest:
    """Who calls, which organization is named, and how far the roles of the caller reach."""

    caller: Caller
    organization: str | None
    reach: DevOpsReach


def _not_of_its_own(_organization: str | None) -> AzureDevOps:
    raise Refusal("This server reads nothing of Azure DevOps of its own accord.")


@dataclass(frozen=True, slots=True)
class AzureDevOpsAccess:
    """What makes the client of one call: all share the connections, and each has its caller's authorization."""

    client: Callable[[OrganizationRequest], AzureDevOps]
    # Gets a file from one of the hosts that the settings allow, if they allow any.
    fetch: Fetch | None = None
    # The client of this server itself for an organization, with which it reads of its own accord: never for a caller.
    own: Callable[[str | None], AzureDevOps] = _not_of_its_own


async def client_of(context: Context) -> AzureDevOps:
    visit, tool = context.visit, context.calling
    if tool is None:
        raise TypeError("No tool is being called, so nothing is within reach.")
    reach = visit.grants.reach(tool.toolset, tool.name, tool.access)
    asked = OrganizationRequest(visit.caller, tool.choices.get(ORGANIZATION), reach)
    devops = (await AZURE_DEVOPS.of(context)).client(asked)
    return devops.anew() if context.is_changing else devops


async def _fetch_of(context: Context) -> Fetch:
    fetch = (await AZURE_DEVOPS.of(context)).fetch
    if fetch is None:
        raise Refusal("No host is allowed to fetch files from: an operator has to set ADO_ATTACHMENT_HOSTS.")
    return fetch


DevOps = Annotated[AzureDevOps, Resolve(client_of)]
Fetching = Annotated[Fetch, Resolve(_fetch_of)]
