"""Reads and writes comments on work items."""

from __future__ import annotations

from typing import Annotated, Literal

from changes.preview import Edit, Preview
from changes.undo import by_call, by_hand
from clients.azure_devops.messages import DevOpsRequest
from mcp_server.declarations.change import Change, PlannedChange, StatedChange
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from tools.azure_devops.access import DevOps
from tools.azure_devops.shared.answers import Json, answer, many, person
from tools.azure_devops.shared.parameters import Detail, MaxResults, WorkItemId
from tools.azure_devops.shared.work_item_answers import shown_comment, written_comment
from tools.azure_devops.shared.work_item_reading import COMMENTS, COMMENTS_VERSION, comments_of, field_of

part = Part()

CommentText = Annotated[str, Field(min_length=1, description="The comment")]
Format = Annotated[Literal["markdown", "html"], Field(description="Text format")]


@part.change(Access.WRITE, harmless=("id",), undo=by_hand("delete the comment on the web"))
async def add_work_item_comment(
    devops: DevOps, id: WorkItemId, text: CommentText, format: Format = "markdown"
) -> StatedChange[Json]:
    """Add a comment to a work item."""

    async def apply() -> Json:
        place = {"project": await field_of(devops, id, "System.TeamProject"), "workItemId": id}
        request = DevOpsRequest(
            f"POST {COMMENTS}", place, {"format": format}, body={"text": text}, version=COMMENTS_VERSION
        )
        return answer(**written_comment(await devops.json(request)))

    return StatedChange(apply)


@part.change(Access.WRITE, harmless=("id", "commentId"))
async def update_work_item_comment(
    devops: DevOps,
    id: WorkItemId,
    commentId: Annotated[int, Field(ge=1, description="Comment id")],
    text: CommentText,
    format: Format = "markdown",
) -> Change[Json]:
    """Edit a comment on a work item."""
    project = await field_of(devops, id, "System.TeamProject")
    place = {"project": project, "workItemId": id, "commentId": commentId}
    line = f"{COMMENTS}/{{commentId}}"

    async def preview() -> Preview:
        before = await devops.json(DevOpsRequest(f"GET {line}", place, version=COMMENTS_VERSION))
        author = person(before["createdBy"]) if before.get("createdBy") else ""
        return Preview(
            what=f"Comment {commentId} on work item {id}",
            sentence=f"Edit comment {commentId} on work item {id}",
            facts={"version": before.get("version")},
            edits=[Edit("text", before.get("text"), text)],
            affected=[author] if author else [],
            places={"project": project},
            destroys=False,
            undo=by_call(
                "update_work_item_comment",
                id=id,
                commentId=commentId,
                text=before.get("text"),
                format=before.get("format") or "html",
            ),
        )

    async def apply() -> Json:
        given = {"format": format}
        request = DevOpsRequest(f"PATCH {line}", place, given, body={"text": text}, version=COMMENTS_VERSION)
        return answer(**written_comment(await devops.json(request)))

    return PlannedChange(preview, apply)


@part.tool(Access.READ, harmless=("id",))
async def list_work_item_comments(
    devops: DevOps, id: WorkItemId, maxResults: MaxResults = 50, detail: Detail = "summary"
) -> Json:
    """List the comments on a work item, newest first."""
    project = await field_of(devops, id, "System.TeamProject")
    return many(await comments_of(devops, id, project, maxResults), shown_comment, detail)
