"""Reads, creates and deletes single work items."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from changes.preview import Preview
from changes.undo import by_hand
from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.messages import DevOpsRequest
from clients.azure_devops.paging import SKIP
from mcp_server.declarations.change import Change, PlannedChange, StatedChange
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure_devops.access import DevOps
from tools.azure_devops.previews.work_items import PLACED, deletion, projects_of
from tools.azure_devops.shared.answers import Json, answer, many
from tools.azure_devops.shared.field_names import PROJECT, by_reference_name, refuse_parent, refuse_repeated
from tools.azure_devops.shared.parameters import (
    Area,
    Assignee,
    Detail,
    Iteration,
    MaxResults,
    NewTags,
    OtherFields,
    Priority,
    Project,
    Prose,
    WorkItemId,
)
from tools.azure_devops.shared.people import assignee
from tools.azure_devops.shared.work_item_answers import (
    LINKS,
    attachments_of,
    created_item,
    shown_comment,
    shown_revision,
    single_item,
    target_of,
)
from tools.azure_devops.shared.work_item_changes import add_relation, address_of, created
from tools.azure_devops.shared.work_item_reading import comments_of, item_with_relations, items_of
from tools.azure_devops.shared.work_item_texts import IsMarkdown, Stored
from tools.azure_devops.work_items.field_values import FieldValues

part = Part()

_COMMENTS = 20


@part.tool(Access.READ, harmless=("id",))
async def get_work_item(
    devops: DevOps,
    id: WorkItemId,
    includeRelations: Annotated[bool, Field(description="With links")] = True,
    includeAttachments: Annotated[bool, Field(description="With files")] = False,
    includeComments: Annotated[bool, Field(description="With comments")] = False,
    detail: Detail = "summary",
) -> Json:
    """Get a work item with its texts."""
    item = await item_with_relations(devops, id)
    files = attachments_of(item) if includeAttachments else None
    project = item["fields"]["System.TeamProject"]
    said = (await comments_of(devops, id, project, _COMMENTS)).items if includeComments else []
    shown = single_item(item if includeRelations else item | {"relations": []}, detail)
    return answer(
        **shown, attachments=files, comments=[shown_comment(comment) for comment in said], link=_link(devops, id)
    )


@part.change(
    Access.WRITE,
    harmless=("project", "type"),
    undo=by_hand("delete_work_item with the returned id deletes the work item"),
)
async def create_work_item(
    devops: DevOps,
    type: Annotated[str, Field(min_length=1, description="Such as User Story")],
    title: Annotated[str, Field(min_length=1, description="Title")],
    project: Project = None,
    description: Prose = None,
    assignedTo: Assignee = None,
    areaPath: Area = None,
    iterationPath: Iteration = None,
    parentId: Annotated[int | None, Field(ge=1, description="Parent")] = None,
    tags: NewTags = None,
    priority: Priority = None,
    additionalFields: OtherFields = None,
    isMarkdown: IsMarkdown = False,
) -> StatedChange[Json]:
    """Create a work item."""
    refuse_repeated(additionalFields)
    fields = by_reference_name(additionalFields)
    refuse_parent(fields)
    if PROJECT in fields:
        raise Refusal(f"To select the project of the new work item, pass `project` instead of {PROJECT}.")

    async def apply() -> Json:
        who, where = await assignee(devops, assignedTo), devops.project(project)
        what = {"title": title, "assignedTo": who, "tags": tags, "priority": priority}
        named = what | {"areaPath": areaPath, "iterationPath": iterationPath}
        values = FieldValues(named=named, others=fields, description=description, is_markdown=isMarkdown)
        empty = Stored(formats={} if devops.organization.is_cloud else None)
        operations = (await values.in_project(devops, where)).making(type, empty)
        if parentId:
            operations.append(add_relation(LINKS["parent"], address_of(devops.organization, parentId)))
        item = await created(devops, where, type, operations)
        return answer(**created_item(item), link=_link(devops, item["id"]))

    return StatedChange(apply)


@part.change(Access.DESTROY, harmless=("id", "permanent"))
async def delete_work_item(
    devops: DevOps,
    id: WorkItemId,
    permanent: Annotated[bool, Field(description="Skip the recycle bin")] = False,
) -> Change[Json]:
    """Delete a work item, by default to the recycle bin."""

    async def preview() -> Preview:
        item = await item_with_relations(devops, id)
        targets = {target for relation in item.get("relations") or () if (target := target_of(relation))}
        others = await items_of(devops, sorted(targets), PLACED)
        projects = projects_of([item, *others], 1 + len(targets))
        return replace(deletion(item, permanent=permanent), places={"project": projects})

    async def apply() -> Json:
        await devops.json(DevOpsRequest("DELETE /_apis/wit/workitems/{id}", {"id": id}, {"destroy": permanent}))
        return answer(id=id, deleted="for good" if permanent else "to the recycle bin")

    return PlannedChange(preview, apply)


@part.tool(Access.READ, harmless=("id",))
async def list_work_item_revisions(
    devops: DevOps, id: WorkItemId, maxResults: MaxResults = 50, detail: Detail = "summary"
) -> Json:
    """List the history of a work item: who changed what, oldest first."""
    request = DevOpsRequest("GET /_apis/wit/workItems/{id}/updates", {"id": id})
    return many(await devops.page(request, SKIP, maxResults), shown_revision, detail)


def _link(devops: AzureDevOps, id: int) -> str:
    return devops.organization.link("_workitems", "edit", id)
