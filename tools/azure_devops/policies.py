"""Lists policies that protect branches."""

from __future__ import annotations

from typing import Annotated, Final

from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.messages import DevOpsRequest
from clients.azure_devops.paging import HEADER_TOKEN, ListPage
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from tools.azure_devops.access import DevOps
from tools.azure_devops.shared.answers import Json, many, one, shape
from tools.azure_devops.shared.git_references import REPOSITORY, full_name
from tools.azure_devops.shared.identifiers import is_id
from tools.azure_devops.shared.parameters import MOST_RESULTS, MaxResults, Project, Repository
from tools.azure_devops.shared.policies import POLICY, PolicyFilter, policies_everywhere
from tools.azure_devops.shared.pull_request_reading import PullRequestId, evaluations, place_of_pull_request, read
from tools.azure_devops.shared.repositories import AnyRepository
from tools.azure_devops.shared.scopes import Projects, place_of_one

part = Part()

_EVALUATION: Final = shape(
    "status", policy="configuration.type.displayName", blocking="configuration.isBlocking", id="configuration.id"
)


@part.tool(Access.READ, harmless=("project", "repository", "branch", "type"))
async def list_branch_policies(
    devops: DevOps,
    repository: AnyRepository = None,
    project: Projects = None,
    branch: Annotated[str | None, Field(description="Only policies for this branch")] = None,
    type: Annotated[str | None, Field(description="Part of the type, such as reviewers")] = None,
    maxResults: MaxResults = 100,
) -> Json:
    """List branch policies. Without `repository`, covers all repositories and lists those without policies."""
    if not repository:
        return await policies_everywhere(devops, project, PolicyFilter(type, branch), maxResults)
    place = place_of_one(devops, project, repository)
    query = {
        "repositoryId": await _repository_id(devops, place),
        "refName": full_name(branch) if branch else None,
    }
    request = DevOpsRequest("GET /{project}/_apis/git/policy/configurations", {"project": place["project"]}, query)
    page = await devops.page(request, HEADER_TOKEN, MOST_RESULTS if type else maxResults)
    matching = [policy for policy in page.items if PolicyFilter(type).is_of(policy)]
    return many(ListPage(matching[:maxResults], page.has_more or len(matching) > maxResults), POLICY)


@part.tool(Access.READ, harmless=("project", "policyId"))
async def get_branch_policy(
    devops: DevOps,
    policyId: Annotated[int, Field(description="Its id")],
    project: Project = None,
) -> Json:
    """Get a policy."""
    place = {"project": devops.project(project), "configurationId": policyId}
    request = DevOpsRequest("GET /{project}/_apis/policy/configurations/{configurationId}", place)
    return one(await devops.json(request), POLICY)


@part.tool(Access.READ, harmless=("project", "repository", "pullRequestId"))
async def list_pull_request_policies(
    devops: DevOps,
    repository: Repository,
    pullRequestId: PullRequestId,
    project: Project = None,
    maxResults: MaxResults = 100,
) -> Json:
    """List the policies that a pull request must meet, with their status."""
    place = place_of_pull_request(devops, project, repository, pullRequestId)
    return many(await evaluations(devops, place, await read(devops, place), maxResults), _EVALUATION)


async def _repository_id(devops: AzureDevOps, place: Json) -> str:
    """Return the id of the repository, because the service cannot find policies by repository name."""
    named = str(place["repositoryId"])
    return named if is_id(named) else str((await devops.json(DevOpsRequest(f"GET {REPOSITORY}", place)))["id"])
