"""The settings of Azure DevOps, each as it is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from clients.addresses import checked_base_url
from clients.azure_devops.failure_names import EXPIRED, MOVED, NO_PROJECT, UNACCEPTED, UNKNOWN_PLACE
from clients.azure_devops.reach import PARTS_OF_A_PROJECT, PARTS_OF_A_REPOSITORY, entries
from settings import NO, setting
from settings.forms import names, truth

# The application of Azure DevOps, whose tokens it takes.
APPLICATION: Final = "499b84ac-1321-427f-aa17-267ca6975798"


def _addresses(text: str) -> str:
    return ",".join(checked_base_url(address, in_the_open=True) for address in _each(text))


def _tokens(text: str) -> str:
    """A place is left empty where the user who signed in is represented."""
    return ",".join(token.strip() for token in text.split(","))


def _each(text: str) -> tuple[str, ...]:
    if not all(part.strip() for part in text.split(",")):
        raise ValueError("an address is missing beside a comma")
    return names(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class AzureDevOpsSettings:
    """Azure DevOps: where it is, how it is signed in to, and what of it may be reached."""

    url: str = setting(
        "ADO_ORG_URL",
        _addresses,
        "",
        "The Azure DevOps organization, `https://dev.azure.com/<name>`, or the collection of an Azure DevOps Server."
        " Several are separated by commas, the default first. Without it there are no Azure DevOps tools.",
    )
    project: str = setting(
        "ADO_PROJECT",
        str,
        "",
        "The project that Azure DevOps tools use if the call names none, in the first organization.",
    )
    token: str = setting(
        "ADO_PAT",
        _tokens,
        "",
        "A personal access token for Azure DevOps. Without it, the user who signed in is represented. For several"
        " organizations one for each, in their order, separated by commas, with nothing where the user is represented.",
        secret=True,
    )
    allowed_projects: frozenset[str] = setting(
        "ADO_ALLOWED_PROJECTS",
        lambda text: entries(text.split(","), PARTS_OF_A_PROJECT),
        frozenset(),
        "The only projects that may be reached, by name or id, separated by commas; `<organization>/<project>` where"
        " several organizations have one. Without it, all that the sign-in may see.",
    )
    allowed_repositories: frozenset[str] = setting(
        "ADO_ALLOWED_REPOSITORIES",
        lambda text: entries(text.split(","), PARTS_OF_A_REPOSITORY),
        frozenset(),
        "The only Git repositories that may be reached, by name or id, separated by commas; `<project>/<repository>`"
        " where several projects have one. Without it, all of the projects that may be reached.",
    )
    attachment_hosts: tuple[str, ...] = setting(
        "ADO_ATTACHMENT_HOSTS",
        lambda text: names(text.lower()),
        (),
        "Hosts from which files may be fetched to attach them to work items, separated by commas. None by default.",
    )
    http_allowed: bool = setting(
        "ADO_ALLOW_HTTP",
        truth,
        NO,
        "Whether an Azure DevOps Server may be reached by plain `http://`, which shows everybody on the way its token.",
    )
    authorities: str = setting(
        "ADO_CA_FILE",
        str,
        "",
        "A file with certificates of authorities, in the form PEM, or that text itself: an Azure DevOps Server whose"
        " certificate they issued is trusted. Other services are not affected.",
    )


SCOPE: Final = f"{APPLICATION}/.default"
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
