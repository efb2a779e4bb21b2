"""The settings of Azure DevOps and how each is parsed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from clients.addresses import checked_base_url
from clients.azure_devops.failure_names import EXPIRED, MOVED, NO_PROJECT, UNACCEPTED, UNKNOWN_PLACE
from clients.azure_devops.reach import PARTS_OF_A_PROJECT, PARTS_OF_A_REPOSITORY, entries
from settings import NO, setting
from settings.forms import names, truth

# The application id of Azure DevOps. Tokens for Azure DevOps have this id as their audience.
APPLICATION: Final = "499b84ac-1321-427f-aa17-267ca6975798"


def _addresses(text: str) -> str:
    return ",".join(checked_base_url(address, in_the_open=True) for address in _each(text))


def _tokens(text: str) -> str:
    """Remove spaces around the tokens in a comma-separated list. An empty token means that calls use the user's
    sign-in.
    """
    return ",".join(token.strip() for token in text.split(","))


def _each(text: str) -> tuple[str, ...]:
    if not all(part.strip() for part in text.split(",")):
        raise ValueError("an address is missing next to a comma")
    return names(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class AzureDevOpsSettings:
    """Azure DevOps: its address, sign-in, and allowed scope."""

    url: str = setting(
        "ADO_ORG_URL",
        _addresses,
        "",
        "The address of an Azure DevOps organization, `https://dev.azure.com/<name>`, or of a collection on Azure"
        " DevOps Server. Separate several addresses with commas, the default first. Without this setting, the Azure"
        " DevOps tools are off.",
    )
    project: str = setting(
        "ADO_PROJECT",
        str,
        "",
        "The default project of Azure DevOps tools, in the first organization.",
    )
    token: str = setting(
        "ADO_PAT",
        _tokens,
        "",
        "A personal access token for Azure DevOps. Without a token, calls use the signed-in user's permissions. For"
        " several organizations, list one token for each, in the order of `ADO_ORG_URL`, separated by commas."
        " For an empty entry, calls use the signed-in user's permissions.",
        secret=True,
    )
    allowed_projects: frozenset[str] = setting(
        "ADO_ALLOWED_PROJECTS",
        lambda text: entries(text.split(","), PARTS_OF_A_PROJECT),
        frozenset(),
        "Comma-separated names or ids of the only projects that tools can access. With several organizations, write"
        " `<organization>/<project>`. By default, all projects that the caller or the token can see.",
    )
    allowed_repositories: frozenset[str] = setting(
        "ADO_ALLOWED_REPOSITORIES",
        lambda text: entries(text.split(","), PARTS_OF_A_REPOSITORY),
        frozenset(),
        "Comma-separated names or ids of the only Git repositories that tools can access. If several projects have"
        " a repository with the same name, write `<project>/<repository>`. By default, all repositories of the"
        " allowed projects.",
    )
    attachment_hosts: tuple[str, ...] = setting(
        "ADO_ATTACHMENT_HOSTS",
        lambda text: names(text.lower()),
        (),
        "Comma-separated hosts from which files can be downloaded and attached to work items. None by default.",
    )
    http_allowed: bool = setting(
        "ADO_ALLOW_HTTP",
        truth,
        NO,
        "Whether to allow plain `http://` for an Azure DevOps Server. Anyone on the network path can then read the"
        " token.",
    )
    authorities: str = setting(
        "ADO_CA_FILE",
        str,
        "",
        "The certificate authorities (a PEM file or its text) to trust for the certificate of an Azure DevOps Server."
        " Other services are not affected.",
    )


SCOPE: Final = f"{APPLICATION}/.default"
# Advice on what to do next, by error type.
HINTS: Final = {
    NO_PROJECT: "list_projects lists the projects.",
    UNKNOWN_PLACE: "If every call fails this way, ask the operator to check ADO_ORG_URL.",
    UNACCEPTED: "The setting ADO_PAT can contain a token. Without a token, the server uses the user's sign-in.",
    EXPIRED: "Ask the operator to renew the token in ADO_PAT, or sign in again.",
    MOVED: "Ask the operator to update ADO_ORG_URL.",
    "WorkItemUnauthorizedAccessException": "Find the ids of work items with query_work_items.",
    "ProjectDoesNotExistException": "list_projects lists the projects.",
    "ProjectDoesNotExistWithNameException": "list_projects lists the projects.",
    "TeamNotFoundException": "list_teams lists the teams.",
    "WikiPageNotFoundException": "list_wiki_pages lists the pages.",
    "WikiNotFoundException": "list_wikis lists the wikis.",
    "WikiPageHasConflictsException": "get_wiki_page returns the page's current text and eTag.",
    "WikiPageAlreadyExistsException": "update_wiki_page changes an existing page.",
    "WikiAncestorPageNotFoundException": "The parent page must exist: create it with create_wiki_page first.",
    "GitRepositoryNotFoundException": "list_repositories lists the repositories.",
    "GitUnresolvableToCommitException": "list_branches lists the branches.",
    "GitItemNotFoundException": "list_files lists the files.",
    "GitPullRequestNotFoundException": "list_pull_requests lists the pull requests.",
    "GitPullRequestStaleException": "get_pull_request shows the latest commit.",
    "GitPullRequestUpdateRejectedByPolicyException": "list_pull_request_policies shows which policy is not met.",
    "GitPullRequestExistsException": "list_pull_requests lists the open pull requests.",
    "GitReferenceStaleException": "get_branch shows the current commit of the branch.",
    "GitRefUpdateRejectedByPolicyException": "Push to another branch, and open a pull request.",
    "BuildNotFoundException": "list_builds lists the builds.",
    "ArtifactNotFoundException": "list_build_artifacts lists the artifacts.",
    "FeedIdNotFoundException": "list_feeds lists the feeds with their projects.",
    "ReleaseNotFoundException": "list_releases lists the releases.",
    "ReleaseDefinitionNotFoundException": "list_release_definitions lists the definitions.",
    "DefinitionNotFoundException": "list_build_definitions lists the definitions.",
    "RelationAlreadyExistsException": "No action is required.",
    "WorkItemTypeNotFoundException": "list_work_item_types lists the types.",
}
