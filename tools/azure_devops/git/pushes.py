"""Commits files whose content callers send as text."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from changes.preview import Edit, Preview
from changes.undo import by_hand
from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.messages import DevOpsRequest
from mcp_server.declarations.change import Change, PlannedChange
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure_devops.access import DevOps
from tools.azure_devops.git.files import LARGEST_FILE, file_request
from tools.azure_devops.git.repositories import BranchName
from tools.azure_devops.previews.branches import policies_of
from tools.azure_devops.previews.wikis import wikis_of
from tools.azure_devops.shared.answers import Json, answer, at
from tools.azure_devops.shared.file_contents import Encoding, encoded, file_text
from tools.azure_devops.shared.git_references import (
    NO_COMMIT,
    REPOSITORY,
    default_branch,
    find_ref,
    full_name,
    place_of,
    short_name,
)
from tools.azure_devops.shared.parameters import Project, Repository

part = Part()

_MOST_FILES: Final = 100


class FileChange(TypedDict):
    change: Literal["add", "edit", "delete"]
    path: str
    content: NotRequired[Annotated[str, Field(description="Complete content")]]
    base64: NotRequired[Annotated[bool, Field(description="Encoding")]]
    encoding: NotRequired[Annotated[Encoding, Field(description="Default: unchanged")]]


def _takes_away(meant: Mapping[str, Any]) -> bool:
    """Check whether the commit deletes or empties files, which may be wiki pages."""
    return any(not str(entry.get("content") or "").strip() for entry in meant["changes"])


@part.change(
    Access.WRITE,
    destroys=_takes_away,
    harmless=("project", "repository", "branch", "expectedCommitId"),
)
async def push_changes(
    devops: DevOps,
    repository: Repository,
    branch: BranchName,
    message: Annotated[str, Field(description="Commit message")],
    changes: Annotated[list[FileChange], Field(min_length=1, max_length=_MOST_FILES, description="Files")],
    project: Project = None,
    expectedCommitId: Annotated[str | None, Field(description="Expected last commit of the branch")] = None,
) -> Change[Json]:
    """Commit file changes to a branch."""
    _refuse_half_a_change(changes)
    place = place_of(devops, project, repository)
    old = expectedCommitId or await _tip(devops, place, branch)
    commit = {"comment": message, "changes": [await _change(devops, place, old, entry) for entry in changes]}
    body = {"refUpdates": [{"name": full_name(branch), "oldObjectId": old}], "commits": [commit]}

    async def preview() -> Preview:
        ref = await find_ref(devops, place, branch)
        return await _shown(devops, place, branch, str(ref["objectId"]) if ref else None, changes)

    async def apply() -> Json:
        push = await devops.json(DevOpsRequest(f"POST {REPOSITORY}/pushes", place, body=body))
        return answer(branch=branch, commitId=push["commits"][0]["commitId"], pushId=push["pushId"])

    return PlannedChange(preview, apply)


async def _shown(
    devops: AzureDevOps, place: Json, branch: str, last: str | None, changes: Sequence[FileChange]
) -> Preview:
    found = await devops.json(DevOpsRequest(f"GET {REPOSITORY}", place))
    wikis = await wikis_of(devops, found)
    name = short_name(full_name(branch))
    files = f"{len(changes)} {'file' if len(changes) == 1 else 'files'}"
    return Preview(
        what=f"A push of {files} to {branch} of {found.get('name')}",
        sentence=f"Push {files} to {branch} of {found.get('name')}",
        facts={
            "last commit": last,
            "wiki": wikis,
            "policies": await policies_of(devops, found, full_name(branch)),
        },
        edits=[Edit(_path(entry), entry["change"]) for entry in changes],
        places={"project": at(found, "project.name"), "repository": found.get("name"), "branch": name},
        destroys=bool(wikis),
        undo=by_hand("another commit can undo it; the branch history keeps the previous content"),
    )


async def _tip(devops: AzureDevOps, place: Json, branch: str) -> str:
    """Return the id of the last commit on a branch, or zeros if the repository is empty."""
    if ref := await find_ref(devops, place, branch):
        return str(ref["objectId"])
    if await default_branch(devops, place) is None:
        return NO_COMMIT
    raise Refusal(f"Branch {branch!r} not found. create_branch creates it; list_branches lists existing branches.")


def _refuse_half_a_change(changes: list[FileChange]) -> None:
    for entry in changes:
        if (entry["change"] == "delete") is not (entry.get("content") is None):
            raise Refusal(
                f"{_path(entry)}: `add` and `edit` require the complete content; `delete` must not have content."
            )


async def _change(devops: AzureDevOps, place: Json, commit: str, entry: FileChange) -> Json:
    change = {"changeType": entry["change"], "item": {"path": _path(entry)}}
    content = entry.get("content")
    if content is None:
        return change
    if entry.get("base64"):
        return change | {"newContent": {"content": content, "contentType": "base64encoded"}}
    encoding = entry.get("encoding") or await _encoding(devops, place, commit, entry)
    return change | {"newContent": pushed_content(content, encoding)}


def pushed_content(text: str, encoding: Encoding) -> Json:
    """Encode a text as the new content of a file in a push request."""
    if encoding == "utf-8":
        return {"content": text, "contentType": "rawtext"}
    return {"content": b64encode(encoded(text, encoding)).decode(), "contentType": "base64encoded"}


async def _encoding(devops: AzureDevOps, place: Json, commit: str, entry: FileChange) -> Encoding:
    """Return the encoding of an existing file. A push must keep this encoding."""
    if entry["change"] == "add":
        return "utf-8"
    before = await devops.send(file_request(place, _path(entry), commit), LARGEST_FILE)
    if before.is_cut:
        raise Refusal(
            f"{_path(entry)} is larger than {LARGEST_FILE} bytes, so its encoding cannot be detected. Pass `encoding`."
        )
    found = file_text(before.content)
    return found.encoding if found else "utf-8"


def _path(entry: FileChange) -> str:
    return f"/{entry['path'].lstrip('/')}"
