"""Creates, shows and changes pull requests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Final, Literal

from changes.preview import Edit, Preview
from changes.undo import Undo, by_call
from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.messages import DevOpsRequest
from mcp_server.declarations.change import Change, PlannedChange
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure_devops.access import DevOps
from tools.azure_devops.git.history import SHOWN_COMMIT
from tools.azure_devops.previews.pull_requests import (
    automatic_merge,
    merge_to_come,
    merges_automatically,
    update,
)
from tools.azure_devops.shared.answers import Json, present
from tools.azure_devops.shared.git_references import REPOSITORY, full_name, place_of
from tools.azure_devops.shared.parameters import Project, Repository
from tools.azure_devops.shared.people import current_user, id_of
from tools.azure_devops.shared.pull_request_reading import (
    ITSELF,
    PullRequestId,
    linked_ids,
    place_of_pull_request,
    read,
    refuse_merging_at_once,
    shown_pull_request,
)
from tools.azure_devops.shared.work_item_reading import listed_items

part = Part()

NOBODY: Final = "00000000-0000-0000-0000-000000000000"

Description = Annotated[str | None, Field(description="Markdown")]
Draft = Annotated[bool | None, Field(description="Draft")]
AutoComplete = Annotated[bool | None, Field(description="Merge once policies are met")]
DeleteSource = Annotated[bool | None, Field(description="After the merge")]


@part.tool(Access.READ, harmless=("project", "repository", "pullRequestId"))
async def get_pull_request(
    devops: DevOps,
    pullRequestId: PullRequestId,
    repository: Annotated[str | None, Field(description="Name or id; optional")] = None,
    project: Project = None,
    includeCommits: Annotated[bool | None, Field(description="With commits")] = None,
    includeWorkItems: Annotated[bool | None, Field(description="With work items")] = None,
) -> Json:
    """Get a pull request."""
    query = {"includeCommits": includeCommits, "includeWorkItemRefs": includeWorkItems}
    if repository:
        found = await read(devops, place_of_pull_request(devops, project, repository, pullRequestId), **query)
    else:
        found = await _by_number(devops, project, pullRequestId, query)
    commits = [SHOWN_COMMIT(commit) for commit in found.pop("commits", None) or ()]
    linked = [int(reference["id"]) for reference in found.pop("workItemRefs", None) or ()]
    return shown_pull_request(devops, found, commits=commits, workItems=await listed_items(devops, linked))


def _auto_completes(meant: Mapping[str, Any]) -> bool:
    return bool(meant.get("autoComplete"))


@part.change(
    Access.WRITE,
    destroys=_auto_completes,
    harmless=("project", "repository", "sourceBranch", "targetBranch", "workItemIds", "isDraft"),
)
async def create_pull_request(
    devops: DevOps,
    repository: Repository,
    sourceBranch: Annotated[str, Field(description="To merge")],
    targetBranch: Annotated[str, Field(description="To merge into")],
    title: Annotated[str, Field(description="Title")],
    project: Project = None,
    description: Description = None,
    reviewers: Annotated[list[str] | None, Field(max_length=30, description="Emails or ids")] = None,
    workItemIds: Annotated[list[int] | None, Field(max_length=50, description="To link")] = None,
    isDraft: Draft = None,
    autoComplete: AutoComplete = None,
    deleteSourceBranch: DeleteSource = None,
) -> Change[Json]:
    """Open a pull request."""
    where, source, target = place_of(devops, project, repository), full_name(sourceBranch), full_name(targetBranch)
    ids = [await id_of(devops, who) for who in reviewers or ()]
    body = {
        "sourceRefName": source,
        "targetRefName": target,
        "title": title,
        "description": description,
        "reviewers": [{"id": who} for who in ids],
        "workItemRefs": [{"id": str(number)} for number in workItemIds or ()],
        "isDraft": isDraft,
    }

    async def preview() -> Preview:
        found = await devops.json(DevOpsRequest(f"GET {REPOSITORY}", where))
        options = {"is_automatic": bool(autoComplete), "deletes_source": bool(deleteSourceBranch)}
        return await merge_to_come(devops, found, source, target, title, **options)

    async def apply() -> Json:
        opened = await devops.json(DevOpsRequest(f"POST {REPOSITORY}/pullrequests", where, body=present(body)))
        place = {**where, "pullRequestId": opened["pullRequestId"]}
        links = await _links(devops, place, workItemIds or ())
        settings = _settings(deleteSourceBranch, opened["createdBy"]["id"] if autoComplete else None)
        return shown_pull_request(devops, await _with_settings(devops, place, opened, settings, links), **links)

    return PlannedChange(preview, apply)


def _closes(meant: Mapping[str, Any]) -> bool:
    """Check whether the change closes the pull request without a merge, or affects an automatic merge."""
    is_of_merge = meant.get("autoComplete") or meant.get("deleteSourceBranch") or meant.get("isDraft") is False
    return meant.get("status") in {"abandoned", "active"} or bool(is_of_merge)


@part.change(
    Access.WRITE,
    destroys=_closes,
    harmless=("project", "repository", "pullRequestId", "status", "autoComplete", "isDraft"),
)
async def update_pull_request(
    devops: DevOps,
    repository: Repository,
    pullRequestId: PullRequestId,
    project: Project = None,
    title: Annotated[str | None, Field(description="New title")] = None,
    description: Description = None,
    status: Annotated[
        Literal["active", "abandoned", "completed"] | None,
        Field(description="abandoned: close unmerged; active: reopen"),
    ] = None,
    autoComplete: AutoComplete = None,
    deleteSourceBranch: DeleteSource = None,
    isDraft: Draft = None,
) -> Change[Json]:
    """Change a pull request, or close it without merging (status abandoned)."""
    if status == "completed":
        raise Refusal("To merge, use complete_pull_request, which asks the user.")
    place = place_of_pull_request(devops, project, repository, pullRequestId)
    if autoComplete:
        await refuse_merging_at_once(devops, place, await read(devops, place))
    named = {"title": title, "description": description, "status": status, "isDraft": isDraft}
    values: Json = {name: value for name, value in named.items() if value is not None}
    settings = _settings(deleteSourceBranch, await _owner(devops, autoComplete))
    if not values and not settings:
        raise Refusal("Nothing to change: pass title, description, status, isDraft or autoComplete.")

    async def preview() -> Preview:
        found = await read(devops, place)
        undo = _set_back(place, found, [*values, *_stopped(settings), *(["autoComplete"] if autoComplete else [])])
        is_merging = autoComplete is None and merges_automatically({**found, "status": status or found.get("status")})
        if autoComplete or (is_merging and (deleteSourceBranch or isDraft is False or status == "active")):
            return await _auto_completion(devops, place, found, _edits(found, values), undo, deleteSourceBranch)
        return update(found, _edits(found, {**values, **_stopped(settings)}), undo, is_closing=status == "abandoned")

    async def apply() -> Json:
        request = DevOpsRequest(f"PATCH {ITSELF}", place, body=values | settings)
        return shown_pull_request(devops, await devops.json(request))

    return PlannedChange(preview, apply)


async def _auto_completion(
    devops: AzureDevOps, place: Json, found: Json, edits: list[Edit], undo: Undo, delete_source: bool | None
) -> Preview:
    merging = await automatic_merge(devops, place, found, {}, edits=edits, delete_source=delete_source)
    return replace(merging, undo=undo.but("a merge cannot be undone"))


def _stopped(settings: Json) -> Json:
    """Map the parameter names of the requested completion options to their values. Add `autoComplete: false` if the
    call disables auto-complete.
    """
    return {
        **(settings.get("completionOptions") or {}),
        **({"autoComplete": False} if "autoCompleteSetBy" in settings else {}),
    }


def _set_back(place: Json, found: Json, names: Iterable[str]) -> Undo:
    """Return the call that restores the current values of the named fields."""
    there = _there(found)
    usual: Json = {"title": "", "description": "", "isDraft": False, "deleteSourceBranch": False}
    before = {name: there.get(name, usual.get(name)) for name in names}
    number, repository = place["pullRequestId"], place["repositoryId"]
    return by_call(
        "update_pull_request", repository=repository, pullRequestId=number, project=place["project"], **before
    )


def _there(found: Json) -> Json:
    return {**(found.get("completionOptions") or {}), "autoComplete": bool(found.get("autoCompleteSetBy")), **found}


def _edits(found: Json, wanted: Json) -> list[Edit]:
    there = _there(found)
    return [Edit(name, there.get(name), value) for name, value in wanted.items() if value != there.get(name)]


async def _by_number(devops: AzureDevOps, project: str | None, number: int, query: Json) -> Json:
    """Find a pull request by its number, which is unique within an organization."""
    line = "GET /{project}/_apis/git/pullrequests/{pullRequestId}"
    found = await devops.json(DevOpsRequest(line, {"project": project, "pullRequestId": number}))
    if not any(query.values()):
        return found
    repository = found["repository"]
    place = {"project": repository["project"]["name"], "repositoryId": repository["name"], "pullRequestId": number}
    return await read(devops, place, **query)


async def _owner(devops: AzureDevOps, auto_complete: bool | None) -> str | None:
    """Return the id to send as `autoCompleteSetBy`: the caller's id to enable auto-complete, `NOBODY` to disable it."""
    if auto_complete is None:
        return None
    return str((await current_user(devops))["id"]) if auto_complete else NOBODY


def _settings(delete_source: bool | None, owner: str | None) -> Json:
    options = None if delete_source is None else {"deleteSourceBranch": delete_source}
    return present({"completionOptions": options, "autoCompleteSetBy": {"id": owner} if owner else None})


async def _links(devops: AzureDevOps, place: Json, wanted: Sequence[int]) -> Json:
    """Read which work items were linked, because the service does not report failed links."""
    if not wanted:
        return {}
    try:
        found = await linked_ids(devops, place)
    except Refusal as refusal:
        return {"linksUnknown": f"{refusal} get_pull_request_work_items lists the linked work items."}
    lacking = [number for number in wanted if number not in found]
    advice = "link_pull_request_work_item links a work item, or says why it cannot be linked." if lacking else None
    linked = [number for number in wanted if number in found]
    return present({"linkedWorkItems": linked, "notLinked": lacking, "toLink": advice})


async def _with_settings(devops: AzureDevOps, place: Json, opened: Json, settings: Json, links: Json) -> Json:
    """Apply the settings that the service accepts only for an existing pull request."""
    if not settings:
        return opened
    try:
        if "autoCompleteSetBy" in settings:
            await refuse_merging_at_once(devops, place, opened)
        return await devops.json(DevOpsRequest(f"PATCH {ITSELF}", place, body=settings))
    except Refusal as refusal:
        lacking = links.get("notLinked")
        unlinked = f" Work items not linked: {lacking}; {links['toLink']}" if lacking else links.get("linksUnknown", "")
        raise Refusal(
            f"Pull request {opened['pullRequestId']} was opened, but its settings were rejected: {refusal}"
            f" Do not open another pull request: correct the settings with update_pull_request.{unlinked}"
        ) from None
