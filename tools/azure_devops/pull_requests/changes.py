"""What a pull request changes: which files, and what in them."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Final

from pydantic import Field

from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.messages import OCTETS, Request
from clients.azure_devops.paging import BySkip, Page
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure_devops.provider import DevOps
from tools.azure_devops.shared.answers import Json, many, present, shape
from tools.azure_devops.shared.diffs import unified
from tools.azure_devops.shared.file_contents import as_text
from tools.azure_devops.shared.git_references import NO_COMMIT, REPOSITORY
from tools.azure_devops.shared.parameters import MOST_RESULTS, MaxResults, Project, Repository
from tools.azure_devops.shared.pull_request_reading import PULL_REQUEST, PullRequestId, place_of_pull_request

part = Part()

# Of one file, of its difference, and of all differences in one answer; and how many these are.
LARGEST_FILE: Final = 1024 * 1024
LONGEST_DIFF: Final = 40_000
LONGEST_ANSWER: Final = 120_000
MOST_DIFFS: Final = 50

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
    """List files changed by a pull request."""
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
    compareTo: Annotated[int, Field(description="Iteration; 0: target")] = 0,
) -> Json:
    """Get diffs of what is changed by a pull request."""
    place = place_of_pull_request(devops, project, repository, pullRequestId)
    number = iteration or await _last_iteration(devops, place)
    changes = await _changes(devops, place, number, compareTo, MOST_RESULTS)
    wanted = _chosen(changes.items, paths)
    diffs = await _diffs(devops, place, wanted[:MOST_DIFFS])
    left = changes.has_more or len(wanted) > len(diffs)
    return many(Page(diffs, left), dict, iteration=number, notShown=[_path(entry) for entry in wanted[len(diffs) :]])


async def _last_iteration(devops: AzureDevOps, place: Json) -> int:
    iterations = (await devops.json(Request(f"GET {_ITERATIONS}", place)))["value"]
    if not iterations:
        raise Refusal("Nothing has been pushed for this pull request yet.")
    return int(max(entry["id"] for entry in iterations))


async def _changes(devops: AzureDevOps, place: Json, iteration: int, compare_to: int, limit: int) -> Page:
    """The files changed, without the folders that they are in."""
    line = f"GET {_ITERATIONS}/{{iterationId}}/changes"
    request = Request(line, place | {"iterationId": iteration}, {"$compareTo": compare_to})
    page = await devops.page(request, _CHANGES, limit)
    return Page([entry for entry in page.items if not entry["item"].get("isFolder")], page.has_more)


def _chosen(changes: list[Any], paths: list[str] | None) -> list[Any]:
    if paths is None:
        return changes
    names = {f"/{path.lstrip('/')}" for path in paths}
    if strangers := names - {_path(entry) for entry in changes}:
        raise Refusal(f"It does not change {', '.join(sorted(strangers))}. list_pull_request_changes lists the files.")
    return [entry for entry in changes if _path(entry) in names]


async def _diffs(devops: AzureDevOps, place: Json, changes: list[Any]) -> list[Json]:
    """The differences one by one, until there are enough for one answer."""
    found: list[Json] = []
    size = 0
    for entry in changes:
        if size > LONGEST_ANSWER:
            break
        found.append(_CHANGE(entry) | await _difference(devops, place, entry))
        size += len(found[-1].get("diff", ""))
    return found


async def _difference(devops: AzureDevOps, place: Json, entry: Any) -> Json:
    """What a change does in its file, or why that is not said."""
    old, new = [await _blob(devops, place, blob) for blob in _sides(entry)]
    if old is None or new is None:
        return {"omitted": f"larger than {LARGEST_FILE} bytes"}
    before, after = as_text(old), as_text(new)
    if before is None or after is None:
        return {"omitted": "binary"}
    names = _path(entry, "originalPath"), _path(entry)
    diff = await asyncio.to_thread(unified, before, after, *names)
    if diff is None:
        return {"omitted": "differs in too much: get_file_content gives either version"}
    return present({"diff": diff[:LONGEST_DIFF], "cut": len(diff) > LONGEST_DIFF or None})


def _sides(entry: Any) -> tuple[str | None, str | None]:
    """The blobs before and after: where a file comes or goes, there is only one."""
    old, new = (entry["item"].get(name) for name in ("originalObjectId", "objectId"))
    # What is deleted may be named as if it were still there.
    return (old or new, None) if "delete" in entry["changeType"].split(", ") else (old, new)


async def _blob(devops: AzureDevOps, place: Json, blob: str | None) -> bytes | None:
    """The content of a blob, nothing where there is none; None where it is too large."""
    if blob in {None, NO_COMMIT}:
        return b""
    line, octets = f"GET {REPOSITORY}/blobs/{{sha1}}", {"$format": "octetStream"}
    answer = await devops.send(Request(line, {**place, "sha1": blob}, octets, accept=OCTETS), LARGEST_FILE)
    return None if answer.is_cut else answer.content


def _path(entry: Any, name: str = "") -> str:
    return str(entry.get(name) or entry["item"]["path"])
