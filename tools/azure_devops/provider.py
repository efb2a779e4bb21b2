"""Azure DevOps: where it is, in whose name it is called, and what to do about its refusals."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Final

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.resolve import Resolve

from clients.addresses import checked_base_url
from clients.azure_devops.client import NO_PROJECT, AzureDevOps
from clients.azure_devops.failures import EXPIRED, MOVED, UNACCEPTED, UNKNOWN_PLACE, Advice
from clients.azure_devops.organization import Organization
from identity.caller import Caller, Kind
from mcp_server.visit import visit_of
from refusal import Refusal
from settings import setting
from settings.forms import names
from tools.provider import Permission, Provider, Providers, Supplies

if TYPE_CHECKING:
    from clients.rest import Transport

_PERMISSION: Final = Permission(
    service="Azure DevOps",
    application="499b84ac-1321-427f-aa17-267ca6975798",
    name="user_impersonation",
    id="ee69721e-6c3a-468f-a9ec-302d16a4c599",
)
_SCOPE: Final = f"{_PERMISSION.application}/.default"
_LARGEST_FILE: Final = 2 * 1024 * 1024
_SECONDS_TO_FETCH: Final = 20.0

Fetch = Callable[[str], Awaitable[bytes]]


@dataclass(frozen=True, slots=True, kw_only=True)
class AzureDevOpsSettings:
    """Azure DevOps: where it is, and how it is signed in to."""

    url: str = setting(
        "ADO_ORG_URL",
        checked_base_url,
        "",
        "The Azure DevOps organization, `https://dev.azure.com/<name>`, or the collection of an Azure DevOps Server."
        " Without it there are no Azure DevOps tools.",
    )
    project: str = setting("ADO_PROJECT", str, "", "The project that Azure DevOps tools use if the call names none.")
    token: str = setting(
        "ADO_PAT",
        str,
        "",
        "A personal access token for Azure DevOps. Without it, the user who signed in is represented.",
        secret=True,
    )
    attachment_hosts: tuple[str, ...] = setting(
        "ADO_ATTACHMENT_HOSTS",
        lambda text: names(text.lower()),
        (),
        "Hosts from which files may be fetched to attach them to work items, separated by commas. None by default.",
    )


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


def _check(settings: AzureDevOpsSettings) -> None:
    if settings.url and not (Organization.at(settings.url).is_cloud or settings.token):
        raise Refusal("The setting ADO_PAT is missing: an Azure DevOps Server takes no sign-in of Entra ID.")


def _doubts(settings: AzureDevOpsSettings) -> str:
    is_lonely = settings.token and not settings.url
    return "ADO_PAT is set, and ADO_ORG_URL is not: there are no Azure DevOps tools." if is_lonely else ""


@dataclass(frozen=True, slots=True)
class AzureDevOpsAccess:
    """What makes the client of one call: all share the connections, and each has its caller's authorization."""

    client: Callable[[Caller], AzureDevOps]
    # Gets a file from one of the hosts that the settings allow, if they allow any.
    fetch: Fetch | None = None


@asynccontextmanager
async def access(
    settings: AzureDevOpsSettings, supplies: Supplies, transport: Transport | None = None
) -> AsyncIterator[AzureDevOpsAccess]:
    from clients.azure_devops.connection import Connection, basic_authorization
    from identity.challenges import claims_challenge

    organization = Organization.at(settings.url)
    async with Connection(transport=transport) as connection:
        make = partial(AzureDevOps, connection, organization, project=settings.project)

        def client(caller: Caller) -> AzureDevOps:
            if settings.token:
                return make(partial(_constant, basic_authorization(settings.token)), advice=Advice(HINTS))
            # Only a user can bring further claims.
            challenge = claims_challenge if caller.kind is Kind.USER else None
            return make(partial(supplies.upstream.authorization, caller, _SCOPE), advice=Advice(HINTS, challenge))

        yield AzureDevOpsAccess(client, partial(_fetched, settings) if settings.attachment_hosts else None)


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
    doubts=_doubts,
    hints=HINTS,
    permissions=(_PERMISSION,),
)


async def _client_of(context: Context[Providers, Any]) -> AzureDevOps:
    return (await provider.of(context)).client(visit_of(context.request_context).caller)


async def _fetch_of(context: Context[Providers, Any]) -> Fetch:
    fetch = (await provider.of(context)).fetch
    if fetch is None:
        raise Refusal("No host is allowed to fetch files from: an operator has to set ADO_ATTACHMENT_HOSTS.")
    return fetch


DevOps = Annotated[AzureDevOps, Resolve(_client_of)]
Fetching = Annotated[Fetch, Resolve(_fetch_of)]
