"""Commits made here, of files that come as texts."""

from __future__ import annotations

from typing import Annotated, Final, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.messages import Request
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure_devops.git.repositories import BranchName
from tools.azure_devops.provider import DevOps
from tools.azure_devops.shared.answers import Json, answer
from tools.azure_devops.shared.git_references import (
    NO_COMMIT,
    REPOSITORY,
    default_branch,
    find_ref,
    full_name,
    place_of,
)
from tools.azure_devops.shared.parameters import Project, Repository

part = Part()

_MOST_FILES: Final = 100


class FileChange(TypedDict):
    change: Literal["add", "edit", "delete"]
    path: str
    content: NotRequired[Annotated[str, Field(description="All of it")]]
    base64: NotRequired[Annotated[bool, Field(description="So encoded")]]


@part.tool(Access.WRITE, harmless=("project", "repository", "branch", "expectedCommitId"))
async def push_changes(
    devops: DevOps,
    repository: Repository,
    branch: BranchName,
    message: Annotated[str, Field(description="Of the commit")],
    changes: Annotated[list[FileChange], Field(min_length=1, max_length=_MOST_FILES, description="Files")],
    project: Project = None,
    expectedCommitId: Annotated[str | None, Field(description="Where the branch has to be")] = None,
) -> Json:
    """Commit changes of files to a branch."""
    commit = {"comment": message, "changes": [_change(entry) for entry in changes]}
    place = place_of(devops, project, repository)
    old = expectedCommitId or await _tip(devops, place, branch)
    body = {"refUpdates": [{"name": full_name(branch), "oldObjectId": old}], "commits": [commit]}
    push = await devops.json(Request(f"POST {REPOSITORY}/pushes", place, body=body))
    return answer(branch=branch, commitId=push["commits"][0]["commitId"], pushId=push["pushId"])


async def _tip(devops: AzureDevOps, place: Json, branch: str) -> str:
    """The commit on which the next one is put: none, where it is the first of all."""
    if ref := await find_ref(devops, place, branch):
        return str(ref["objectId"])
    if await default_branch(devops, place) is None:
        return NO_COMMIT
    raise Refusal(f"There is no branch {branch!r}. create_branch makes it, list_branches names those there are.")


def _change(entry: FileChange) -> Json:
    kind, content = entry["change"], entry.get("content")
    item = {"path": f"/{entry['path'].lstrip('/')}"}
    if (kind == "delete") is not (content is None):
        raise Refusal(f"{item['path']}: add and edit need the whole content, delete takes none.")
    if content is None:
        return {"changeType": kind, "item": item}
    form = "base64encoded" if entry.get("base64") else "rawtext"
    return {"changeType": kind, "item": item, "newContent": {"content": content, "contentType": form}}
