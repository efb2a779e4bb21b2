"""Azure DevOps: where it is, in whose name it is called, and what to do about its refusals."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Final

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.resolve import Resolve

from clients.azure_devops.client import NO_PROJECT, Authorize, AzureDevOps
from clients.azure_devops.failures import EXPIRED, MOVED, UNACCEPTED, UNKNOWN_PLACE, Advice
from clients.azure_devops.kept import Kept
from clients.azure_devops.messages import Exchange
from clients.azure_devops.reach import Reach
from identity.caller import Caller, Kind
from identity.challenges import claims_challenge
from mcp_server.declarations.adaptation import AS_DECLARED, Adaptation
from mcp_server.visit import visit_of
from refusal import Refusal
from tools.azure_devops.places import AzureDevOpsSettings, check, place_for, places_of, reach_of
from tools.provider import Permission, Provider, Providers, Supplies

if TYPE_CHECKING:
    from clients.rest import Transport

__all__ = ["HINTS", "Asked", "AzureDevOpsAccess", "AzureDevOpsSettings", "DevOps", "Fetching", "access", "provider"]

_PERMISSION: Final = Permission(
    service="Azure DevOps",
    application="499b84ac-1321-427f-aa17-267ca6975798",
    name="user_impersonation",
    id="ee69721e-6c3a-468f-a9ec-302d16a4c599",
)
_SCOPE: Final = f"{_PERMISSION.application}/.default"
# The parameter by which a call names its organization, where there are several.
ORGANIZATION: Final = "organization"
_LARGEST_FILE: Final = 2 * 1024 * 1024
_SECONDS_TO_FETCH: Final = 20.0

Fetch = Callable[[str], Awaitable[bytes]]


# What to do next, by what the service calls a failure.
HINTS: Final = {
    NO_PROJECT: "list_projects names the projects.",
    UNKNOWN_PLACE: "If everything is answered so, ADO_ORG_URL is wrong, which the operator sets.",
    UNACCEPTED: "The setting ADO_PAT holds a token; without it, the user's sign-in is used.",
    EXPIRED: "The operator has to renew it (ADO_PAT), or you have to sign in again.",
    MOVED: "The operator has to set ADO_ORG_URL to where it is now.",
    "WorkItemUnauthorizedAccessException": "Find the ids of work items with query_work_items.",
    "ProjectDoesNotExistException": "list_projects names the projects.",
    "ProjectDoesNotExistWithNameException": "list_projects names the projects.",
    "TeamNotFoundException": "list_teams names the teams.",
    "WikiPageNotFoundException": "list_wiki_pages names the pages.",
    "WikiNotFoundException": "list_wikis names the wikis.",
    "WikiPageHasConflictsException": "get_wiki_page gives its text and eTag as they are now.",
    "WikiPageAlreadyExistsException": "update_wiki_page changes a page that is there.",
    "WikiAncestorPageNotFoundException": "create_wiki_page makes the page above it, which has to be there first.",
    "GitRepositoryNotFoundException": "list_repositories names the repositories.",
    "GitUnresolvableToCommitException": "list_branches names the branches.",
    "GitItemNotFoundException": "list_files names the files.",
    "GitPullRequestNotFoundException": "list_pull_requests names the pull requests.",
    "GitPullRequestStaleException": "get_pull_request tells what its last commit is now.",
    "GitPullRequestUpdateRejectedByPolicyException": "list_pull_request_policies tells which policy is not met.",
    "GitPullRequestExistsException": "list_pull_requests names the one that is open.",
    "GitReferenceStaleException": "get_branch tells where the branch is now.",
    "GitRefUpdateRejectedByPolicyException": "Push to a branch of your own, and open a pull request.",
    "BuildNotFoundException": "list_builds names the builds.",
    "ArtifactNotFoundException": "list_build_artifacts names the artifacts.",
    "FeedIdNotFoundException": "list_feeds names the feeds, and the project of each that has one.",
    "ReleaseNotFoundException": "list_releases names the releases.",
    "ReleaseDefinitionNotFoundException": "list_release_definitions names the definitions.",
    "DefinitionNotFoundException": "list_build_definitions names the definitions.",
    "RelationAlreadyExistsException": "Nothing has to be done.",
    "WorkItemTypeNotFoundException": "list_work_item_types names the types.",
}


def _lacks(settings: AzureDevOpsSettings) -> str:
    return "" if settings.url else "Azure DevOps is not configured. An operator has to set ADO_ORG_URL."


def _doubts(settings: AzureDevOpsSettings) -> str:
    is_lonely = settings.token and not settings.url
    return "ADO_PAT is set, and ADO_ORG_URL is not: there are no Azure DevOps tools." if is_lonely else ""


def _check(settings: AzureDevOpsSettings) -> None:
    check(settings)
    if settings.authorities:
        from tools.azure_devops.trust import trusting

        trusting(settings.authorities)


def _adapts(settings: AzureDevOpsSettings) -> Adaptation:
    """Where there are several organizations, one of them is chosen."""
    return Adaptation({ORGANIZATION: "Has a default"}) if "," in settings.url else AS_DECLARED


@dataclass(frozen=True, slots=True)
class Asked:
    """Who calls, which organization is named, and how far the roles of the caller reach."""

    caller: Caller
    organization: str | None
    reach: Reach


@dataclass(frozen=True, slots=True)
class AzureDevOpsAccess:
    """What makes the client of one call: all share the connections, and each has its caller's authorization."""

    client: Callable[[Asked], AzureDevOps]
    # Gets a file from one of the hosts that the settings allow, if they allow any.
    fetch: Fetch | None = None


@asynccontextmanager
async def access(
    settings: AzureDevOpsSettings, supplies: Supplies, transport: Transport | None = None
) -> AsyncIterator[AzureDevOpsAccess]:
    from clients.azure_devops.confinement.confined import Confined
    from clients.azure_devops.connection import Connection, basic_authorization

    places, kept, deployed = places_of(settings), Kept(), reach_of(settings)

    def client(asked: Asked) -> AzureDevOps:
        place = place_for(asked.organization, places, deployed & asked.reach)
        authorize: Authorize
        if place.token:
            authorize = partial(_constant, basic_authorization(place.token))
        else:
            authorize = partial(supplies.upstream.authorization, asked.caller, _SCOPE)
        # Only a user can bring further claims.
        is_user = not place.token and asked.caller.kind is Kind.USER
        advice = Advice(HINTS, claims_challenge if is_user else None)
        who = place.organization.base, "" if place.token else asked.caller.person
        exchange: Exchange = services if place.organization.is_cloud else servers
        if not place.reach.is_everything:
            exchange = Confined(exchange, place.organization, place.reach, who, advice, kept)
        devops = AzureDevOps(exchange, place.organization, authorize, project=place.default_project, advice=advice)
        return devops.remembering(kept, (*who, place.reach))

    async with (
        Connection(transport=transport) as services,
        Connection(transport=transport or _transport_to_servers(settings)) as servers,
    ):
        yield AzureDevOpsAccess(client, partial(_fetched, settings) if settings.attachment_hosts else None)


def _transport_to_servers(settings: AzureDevOpsSettings) -> Transport | None:
    if not settings.authorities:
        return None
    from tools.azure_devops.trust import transport_trusting

    return transport_trusting(settings.authorities)


async def _constant(authorization: str) -> str:
    return authorization


async def _fetched(settings: AzureDevOpsSettings, url: str) -> bytes:
    from clients.public_fetch import fetch_public

    found = await fetch_public(
        url, allowed_hosts=settings.attachment_hosts, largest=_LARGEST_FILE, seconds=_SECONDS_TO_FETCH
    )
    return found.body


provider: Final = Provider(
    name="azure-devops",
    settings=AzureDevOpsSettings,
    open=access,
    lacks=_lacks,
    check=_check,
    adapts=_adapts,
    doubts=_doubts,
    hints=HINTS,
    permissions=(_PERMISSION,),
)


async def _client_of(context: Context[Providers, Any]) -> AzureDevOps:
    visit = visit_of(context.request_context)
    calling = visit.calling
    if calling is None:
        raise TypeError("No tool is being called, so nothing is within reach.")
    tool = calling.tool
    reach = visit.grants.reach(tool.toolset, tool.name, tool.access)
    return (await provider.of(context)).client(Asked(visit.caller, calling.choices.get(ORGANIZATION), reach))


async def _fetch_of(context: Context[Providers, Any]) -> Fetch:
    fetch = (await provider.of(context)).fetch
    if fetch is None:
        raise Refusal("No host is allowed to fetch files from: an operator has to set ADO_ATTACHMENT_HOSTS.")
    return fetch


DevOps = Annotated[AzureDevOps, Resolve(_client_of)]
Fetching = Annotated[Fetch, Resolve(_fetch_of)]
