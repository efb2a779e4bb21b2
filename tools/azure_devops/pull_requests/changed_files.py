"""Shows the files that a pull request changes, with their diffs."""

from __future__ import annotations

from typing import Annotated, Any, Final

from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.messages import OCTETS, DevOpsRequest
from clients.azure_devops.paging import BySkip, ListPage
from clients.azure_devops.records import records
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure_devops.access import DevOps
from tools.azure_devops.shared.answers import Json, at, many, shape
from tools.azure_devops.shared.file_diffs import ChangedFile, diffs_of
from tools.azure_devops.shared.git_references import NO_COMMIT, REPOSITORY
from tools.azure_devops.shared.parameters import MOST_RESULTS, MaxResults, Project, Repository
from tools.azure_devops.shared.pull_request_reading import PULL_REQUEST, PullRequestId, place_of_pull_request

part = Part()

PushNumber = Annotated[int | None, Field(description="Default: the last")]

_ITERATIONS: Final = f"{PULL_REQUEST}/iterations"
_CHANGES: Final = BySkip(entries="changeEntries")
_CHANGE: Final = shape(path="item.path", change="changeType", was="originalPath")


@part.tool(Access.READ, harmless=("project", "repository", "pullRequestId", "iteration"))
async def list_pull_request_changes(
    devops: DevOps,
    repository: Repository,
    pullRequestId: PullRequestId,
    project: Project = None,
    iteration: PushNumber = None,
    maxResults: MaxResults = 100,
) -> Json:
    """List the files changed by a pull request."""
    place = place_of_pull_request(devops, project, repository, pullRequestId)
    number = iteration or await _last_iteration(devops, place)
    return many(await _changes(devops, place, number, 0, maxResults), _CHANGE, iteration=number)


@part.tool(Access.READ, harmless=("project", "repository", "pullRequestId", "paths", "iteration", "compareTo"))
async def get_pull_request_diff(
    devops: DevOps,
    repository: Repository,
    pullRequestId: PullRequestId,
    project: Project = None,
    paths: Annotated[list[str] | None, Field(max_length=50, description="Only these")] = None,
    iteration: PushNumber = None,
    compareTo: Annotated[int, Field(description="Iteration; 0: target branch")] = 0,
) -> Json:
    """Get the diffs of a pull request."""
    place = place_of_pull_request(devops, project, repository, pullRequestId)
    number = iteration or await _last_iteration(devops, place)
    changes = await _changes(devops, place, number, compareTo, MOST_RESULTS)
    diffs = await diffs_of(devops, [_changed(place, entry) for entry in _chosen(changes.items, paths)])
    page = ListPage(diffs.items, changes.has_more or bool(diffs.left))
    return many(page, dict, iteration=number, **diffs.said("get_file_content returns either version of a file."))


async def _last_iteration(devops: AzureDevOps, place: Json) -> int:
    iterations = records((await devops.json(DevOpsRequest(f"GET {_ITERATIONS}", place)))["value"])
    numbers = [number for entry in iterations if isinstance(number := entry["id"], int)]
    if not numbers:
        raise Refusal("This pull request has no pushed commits yet.")
    return max(numbers)


async def _changes(devops: AzureDevOps, place: Json, iteration: int, compare_to: int, limit: int) -> ListPage:
    """Return the changed files, without folders."""
    line = f"GET {_ITERATIONS}/{{iterationId}}/changes"
    request = DevOpsRequest(line, place | {"iterationId": iteration}, {"$compareTo": compare_to})
    page = await devops.page(request, _CHANGES, limit)
    return ListPage([entry for entry in page.items if not at(entry, "item.isFolder")], page.has_more)


def _chosen(changes: list[Any], paths: list[str] | None) -> list[Any]:
    if paths is None:
        return changes
    names = {f"/{path.lstrip('/')}" for path in paths}
    if strangers := names - {_path(entry) for entry in changes}:
        missing = ", ".join(sorted(strangers))
        raise Refusal(f"The pull request does not change {missing}. list_pull_request_changes lists its files.")
    return [entry for entry in changes if _path(entry) in names]


def _changed(place: Json, entry: Any) -> ChangedFile:
    old, new = (_blob(place, blob) for blob in _sides(entry))
    return ChangedFile(_path(entry), _CHANGE(entry), old, new, _path(entry, "originalPath"))


def _sides(entry: Any) -> tuple[str | None, str | None]:
    """Return a file's blobs before and after a change. Added and deleted files have only one blob."""
    old, new = (at(entry, f"item.{name}") for name in ("originalObjectId", "objectId"))
    # The service may list deleted files as if they still existed.
    return (old or new, None) if "delete" in str(entry["changeType"]).split(", ") else (old, new)


def _blob(place: Json, blob: str | None) -> DevOpsRequest | None:
    if blob is None or blob == NO_COMMIT:
        return None
    line, octets = f"GET {REPOSITORY}/blobs/{{sha1}}", {"$format": "octetStream"}
    return DevOpsRequest(line, {**place, "sha1": str(blob)}, octets, accept=OCTETS)


def _path(entry: Any, name: str = "") -> str:
    return str(entry.get(name) or at(entry, "item.path"))
