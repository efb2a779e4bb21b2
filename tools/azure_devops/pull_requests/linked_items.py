"""Lists and links the work items of a pull request."""

from __future__ import annotations

from changes.undo import by_hand
from mcp_server.declarations.change import StatedChange
from mcp_server.declarations.toolset import Access, Part
from tools.azure_devops.access import DevOps
from tools.azure_devops.shared.answers import Json, answer, every
from tools.azure_devops.shared.parameters import Project, Repository, WorkItemId
from tools.azure_devops.shared.pull_request_reading import PullRequestId, linked_ids, place_of_pull_request, read
from tools.azure_devops.shared.work_item_changes import add_relation, change
from tools.azure_devops.shared.work_item_reading import listed_items

part = Part()


@part.tool(Access.READ, harmless=("project", "repository", "pullRequestId"))
async def get_pull_request_work_items(
    devops: DevOps, repository: Repository, pullRequestId: PullRequestId, project: Project = None
) -> Json:
    """Get the work items linked to a pull request."""
    place = place_of_pull_request(devops, project, repository, pullRequestId)
    return every(await listed_items(devops, await linked_ids(devops, place)), dict)


@part.change(
    Access.WRITE,
    harmless=("project", "repository", "pullRequestId", "workItemId"),
    undo=by_hand("remove_work_item_artifact_link removes the link; get_work_item shows the link's address"),
)
async def link_pull_request_work_item(
    devops: DevOps,
    repository: Repository,
    pullRequestId: PullRequestId,
    workItemId: WorkItemId,
    project: Project = None,
) -> StatedChange[Json]:
    """Link a work item to a pull request."""

    async def apply() -> Json:
        found = await read(devops, place_of_pull_request(devops, project, repository, pullRequestId))
        parts = found["repository"]["project"]["id"], found["repository"]["id"], str(pullRequestId)
        # The service itself writes the target as one segment with encoded slashes.
        relation = add_relation("ArtifactLink", f"vstfs:///Git/PullRequestId/{'%2F'.join(parts)}", name="Pull Request")
        item = await change(devops, workItemId, [relation])
        return answer(pullRequestId=pullRequestId, linked={"id": workItemId, "rev": item["rev"]})

    return StatedChange(apply)
