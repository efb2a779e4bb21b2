"""Azure DevOps: where it is, in whose name it is called, and what to do about its refusals."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final

from clients.azure_devops.failure_names import EXPIRED, MOVED, NO_PROJECT, UNACCEPTED, UNKNOWN_PLACE
from clients.azure_devops.reach import DevOpsReach
from identity.caller import Caller
from mcp_server.declarations.adaptation import Adaptation, Places
from mcp_server.declarations.injection import Resolve
from mcp_server.visit import Context
from refusal import Refusal
from settings import Settings
from tools.azure_devops.settings import AzureDevOpsSettings
from tools.provider import DelegatedPermission, Provider, Supplies

if TYPE_CHECKING:
    from clients.azure_devops.client import AzureDevOps
    from clients.rest import Transport
else:
    # Of what a tool takes, the SDK wants to know only how it is made: the client is imported where it is opened.
    AzureDevOps = Any

__all__ = [
    "HINTS",
    "AzureDevOpsAccess",
    "AzureDevOpsSettings",
    "DevOps",
    "Fetching",
    "OrganizationRequest",
    "access",
    "provider",
]

_PERMISSION: Final = DelegatedPermission(
    service="Azure DevOps",
    application="499b84ac-1321-427f-aa17-267ca6975798",
    name="user_impersonation",
    id="ee69721e-6c3a-468f-a9ec-302d16a4c599",
)
SCOPE: Final = f"{_PERMISSION.application}/.default"
# The parameter by which a call names its organization, where there are several.
ORGANIZATION: Final = "organization"

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


def _lacks(settings: AzureDevOpsSettings, _: Settings) -> str:
    return "" if settings.url else "Azure DevOps is not configured. An operator has to set ADO_ORG_URL."


def _doubts(settings: AzureDevOpsSettings) -> str:
    is_lonely = settings.token and not settings.url
    return "ADO_PAT is set, and ADO_ORG_URL is not: there are no Azure DevOps tools." if is_lonely else ""


def _check(settings: AzureDevOpsSettings) -> None:
    if not settings.url:
        return
    from tools.azure_devops.organizations import check

    check(settings)
    if settings.authorities:
        from tools.azure_devops.trust import trusting

        trusting(settings.authorities)


def _adapts(settings: AzureDevOpsSettings) -> Adaptation:
    """Where there are several organizations, one of them is chosen."""
    return Adaptation({ORGANIZATION: "Has a default"} if "," in settings.url else {}, _placed, _doubt)


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


@asynccontextmanager
async def access(
    settings: AzureDevOpsSettings, supplies: Supplies, transport: Transport | None = None
) -> AsyncIterator[AzureDevOpsAccess]:
    from tools.azure_devops.opening import opened

    async with opened(settings, supplies, transport) as found:
        yield found


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


async def _client_of(context: Context) -> AzureDevOps:
    visit, tool = context.visit, context.calling
    if tool is None:
        raise TypeError("No tool is being called, so nothing is within reach.")
    reach = visit.grants.reach(tool.toolset, tool.name, tool.access)
    devops = (await provider.of(context)).client(
        OrganizationRequest(visit.caller, tool.choices.get(ORGANIZATION), reach)
    )
    return devops.anew() if context.is_changing else devops


async def _fetch_of(context: Context) -> Fetch:
    fetch = (await provider.of(context)).fetch
    if fetch is None:
        raise Refusal("No host is allowed to fetch files from: an operator has to set ADO_ATTACHMENT_HOSTS.")
    return fetch


async def _placed(context: Context, given: Mapping[str, Any], told: Places) -> Places:
    from tools.azure_devops.previews.placing import placed

    return await placed(await _client_of(context), given, told)


async def _doubt(context: Context, tool: str, given: Mapping[str, Any]) -> str:
    from tools.azure_devops.rights.checking import doubt_of

    return await doubt_of(await _client_of(context), tool, given)


DevOps = Annotated[AzureDevOps, Resolve(_client_of)]
Fetching = Annotated[Fetch, Resolve(_fetch_of)]
