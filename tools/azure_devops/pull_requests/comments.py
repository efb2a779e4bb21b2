"""Reads and writes comment threads of pull requests."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from changes.preview import Edit, Preview
from changes.undo import by_call, by_hand
from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.messages import DevOpsRequest
from clients.azure_devops.paging import ListPage
from clients.azure_devops.records import records
from mcp_server.declarations.change import Change, PlannedChange, StatedChange
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure_devops.access import DevOps
from tools.azure_devops.previews.pull_requests import places_of
from tools.azure_devops.shared.answers import Json, answer, many, one, person, present, shape
from tools.azure_devops.shared.parameters import MaxResults, Project, Repository
from tools.azure_devops.shared.pull_request_reading import PULL_REQUEST, PullRequestId, place_of_pull_request, read

part = Part()

ThreadStatus = Literal["active", "fixed", "wontFix", "closed", "pending"]
ThreadId = Annotated[int, Field(description="Thread")]
Said = Annotated[str, Field(description="Markdown")]

_THREADS: Final = f"{PULL_REQUEST}/threads"
_THREAD: Final = f"{_THREADS}/{{threadId}}"
_COMMENT: Final = shape("id", text="content", by="author", at="publishedDate", inReplyTo="parentCommentId")
_CONTEXT: Final = shape("id", "status", file="threadContext.filePath", line="threadContext.rightFileStart.line")


@part.change(
    Access.WRITE,
    harmless=("project", "repository", "pullRequestId", "threadId", "filePath", "lineNumber", "status"),
    undo=by_hand("delete the comment on the web"),
)
async def add_pull_request_comment(
    devops: DevOps,
    repository: Repository,
    pullRequestId: PullRequestId,
    content: Said,
    project: Project = None,
    threadId: Annotated[int | None, Field(description="Thread to reply to")] = None,
    filePath: Annotated[str | None, Field(description="File to comment on")] = None,
    lineNumber: Annotated[int | None, Field(ge=1, description="Line")] = None,
    status: Annotated[ThreadStatus | None, Field(description="Status of the thread")] = None,
) -> StatedChange[Json]:
    """Comment on a pull request, or reply."""

    async def apply() -> Json:
        place = place_of_pull_request(devops, project, repository, pullRequestId)
        if threadId is None:
            return _shown(await _begun(devops, place, content, _about(filePath, lineNumber), status or "active"))
        if filePath or lineNumber:
            raise Refusal("A reply belongs to its thread: pass either threadId, or filePath and lineNumber.")
        return await _replied(devops, place | {"threadId": threadId}, content, status)

    return StatedChange(apply)


@part.tool(Access.READ, harmless=("project", "repository", "pullRequestId"))
async def get_pull_request_comments(
    devops: DevOps,
    repository: Repository,
    pullRequestId: PullRequestId,
    project: Project = None,
    maxResults: MaxResults = 100,
) -> Json:
    """Get the comments on a pull request, by thread."""
    place = place_of_pull_request(devops, project, repository, pullRequestId)
    threads = records((await devops.json(DevOpsRequest(f"GET {_THREADS}", place)))["value"])
    found = [thread for thread in threads if _is_talk(thread)]
    return many(ListPage(found[:maxResults], len(found) > maxResults), _shown_thread)


@part.change(
    Access.WRITE,
    harmless=("project", "repository", "pullRequestId", "threadId", "status"),
    undo=by_hand("call update_pull_request_thread with the previous status"),
)
async def update_pull_request_thread(
    devops: DevOps,
    repository: Repository,
    pullRequestId: PullRequestId,
    threadId: ThreadId,
    status: Annotated[ThreadStatus, Field(description="New status")],
    project: Project = None,
) -> StatedChange[Json]:
    """Resolve or reopen a comment thread."""

    async def apply() -> Json:
        place = place_of_pull_request(devops, project, repository, pullRequestId) | {"threadId": threadId}
        return _shown(await _set_status(devops, place, status))

    return StatedChange(apply)


@part.change(Access.WRITE, harmless=("project", "repository", "pullRequestId", "threadId", "commentId"))
async def update_pull_request_comment(
    devops: DevOps,
    repository: Repository,
    pullRequestId: PullRequestId,
    threadId: ThreadId,
    commentId: Annotated[int, Field(description="Comment")],
    content: Said,
    project: Project = None,
) -> Change[Json]:
    """Edit a comment on a pull request."""
    place = place_of_pull_request(devops, project, repository, pullRequestId)
    place |= {"threadId": threadId, "commentId": commentId}

    async def preview() -> Preview:
        before = await devops.json(DevOpsRequest(f"GET {_THREAD}/comments/{{commentId}}", place))
        # A caller may pass the id of the repository, but approval rules use the repository's name.
        found = await read(devops, place)
        author = person(before["author"]) if before.get("author") else ""
        old = str(before.get("content") or "")
        return Preview(
            what=f"Comment {commentId} on pull request {pullRequestId}",
            sentence=f"Edit comment {commentId} on pull request {pullRequestId}",
            facts={"written by": author},
            edits=[Edit("text", before.get("content"), content)],
            affected=[author] if author else [],
            places=places_of(found),
            destroys=False,
            undo=by_call("update_pull_request_comment", repository=repository, **_named(place), content=old),
        )

    async def apply() -> Json:
        request = DevOpsRequest(f"PATCH {_THREAD}/comments/{{commentId}}", place, body={"content": content})
        return one(await devops.json(request), _COMMENT, threadId=threadId)

    return PlannedChange(preview, apply)


def _named(place: Json) -> Json:
    return {name: place[name] for name in ("pullRequestId", "threadId", "commentId", "project")}


async def _begun(devops: AzureDevOps, place: Json, content: str, about: Json, status: ThreadStatus) -> Json:
    comment = {"parentCommentId": 0, "content": content, "commentType": "text"}
    body = present({"comments": [comment], "status": status, "threadContext": about})
    return await devops.json(DevOpsRequest(f"POST {_THREADS}", place, body=body))


async def _replied(devops: AzureDevOps, place: Json, content: str, status: ThreadStatus | None) -> Json:
    comment = {"parentCommentId": 1, "content": content, "commentType": "text"}
    said = await devops.json(DevOpsRequest(f"POST {_THREAD}/comments", place, body=comment))
    changed = await _settled(devops, place, status) if status else {}
    return one(said, _COMMENT, threadId=place["threadId"], status=changed.get("status"))


async def _settled(devops: AzureDevOps, place: Json, status: ThreadStatus) -> Json:
    """Set the status of a thread, and return the thread. If setting the status fails, the error says that the reply was
    already added.
    """
    try:
        return await _set_status(devops, place, status)
    except Refusal as refusal:
        raise Refusal(
            f"The reply was added, but setting the thread status failed: {refusal} Do not reply again:"
            " set the status with update_pull_request_thread."
        ) from None


async def _set_status(devops: AzureDevOps, place: Json, status: ThreadStatus) -> Json:
    return await devops.json(DevOpsRequest(f"PATCH {_THREAD}", place, body={"status": status}))


def _about(path: str | None, line: int | None) -> Json:
    """Return the location of a comment thread: a file and, if a line is given, this line in the new version."""
    if path is None and line is not None:
        raise Refusal("lineNumber requires filePath.")
    if path is None:
        return {}
    start, end = ({"line": line, "offset": offset} if line else None for offset in (1, 2))
    return present({"filePath": f"/{path.lstrip('/')}", "rightFileStart": start, "rightFileEnd": end})


def _shown(thread: Json) -> Json:
    return answer(**_shown_thread(thread))


def _shown_thread(thread: Any) -> Json:
    return _CONTEXT(thread) | present({"comments": [_COMMENT(comment) for comment in _said(thread)]})


def _is_talk(thread: Any) -> bool:
    """Check whether a person commented in the thread. The service itself adds threads about votes and pushes."""
    return not thread.get("isDeleted") and bool(_said(thread))


def _said(thread: Any) -> list[Any]:
    comments = records(thread.get("comments"))
    return [entry for entry in comments if entry.get("commentType") != "system" and not entry.get("isDeleted")]
