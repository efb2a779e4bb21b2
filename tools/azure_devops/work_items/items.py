"""Work items one by one: reading, creating, changing and deleting them."""

from __future__ import annotations

from itertools import chain
from typing import Annotated

from pydantic import Field

from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.messages import JSON_PATCH, Request
from clients.azure_devops.paging import SKIP
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure_devops.provider import DevOps
from tools.azure_devops.shared.answers import Json, answer, many
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
    Revision,
    WorkItemId,
)
from tools.azure_devops.shared.people import assignee
from tools.azure_devops.shared.work_item_answers import (
    LINKS,
    attachments_of,
    shown_comment,
    shown_revision,
    single_item,
)
from tools.azure_devops.shared.work_item_changes import (
    Operation,
    add_relation,
    address_of,
    change,
    only_at,
    set_fields,
    texts_of,
)
from tools.azure_devops.shared.work_item_reading import comments_of, item_with_relations
from tools.azure_devops.shared.work_item_texts import TEXTS, IsMarkdown, Stored, text_operations

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


@part.tool(Access.WRITE, harmless=("project", "type"))
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
) -> Json:
    """Create a work item."""
    who = await assignee(devops, assignedTo)
    where = {"areaPath": areaPath, "iterationPath": iterationPath}
    what = {"title": title, "assignedTo": who, "tags": tags, "priority": priority}
    texts = texts_of(description, additionalFields, type)
    empty = Stored(formats={} if devops.organization.is_cloud else None)
    operations = _operations(what | where, additionalFields, texts, empty, isMarkdown)
    if parentId:
        operations.append(add_relation(LINKS["parent"], address_of(devops.organization, parentId)))
    place = {"project": devops.project(project), "type": type}
    line = "POST /{project}/_apis/wit/workitems/${type}"
    return _changed(devops, await devops.json(Request(line, place, body=operations, content_type=JSON_PATCH)))


@part.tool(Access.WRITE, harmless=("id", "state"))
async def update_work_item(
    devops: DevOps,
    id: WorkItemId,
    title: Annotated[str | None, Field(description="New title")] = None,
    description: Prose = None,
    state: Annotated[str | None, Field(description="Such as Closed")] = None,
    assignedTo: Annotated[str | None, Field(description='E-mail, name or @Me; "" is nobody')] = None,
    areaPath: Area = None,
    iterationPath: Iteration = None,
    tags: NewTags = None,
    priority: Priority = None,
    additionalFields: OtherFields = None,
    rev: Revision = None,
    isMarkdown: IsMarkdown = False,
) -> Json:
    """Change, assign or close a work item; the rest stays."""
    who = await assignee(devops, assignedTo)
    where = {"areaPath": areaPath, "iterationPath": iterationPath, "state": state}
    what = {"title": title, "assignedTo": who, "tags": tags, "priority": priority}
    item = await _item(devops, id) if description is not None or TEXTS & set(additionalFields or ()) else None
    texts = texts_of(description, additionalFields, item["fields"]["System.WorkItemType"]) if item else {}
    stored = Stored.of(item) if item else Stored()
    operations = _operations(what | where, additionalFields, texts, stored, isMarkdown)
    if not operations:
        raise Refusal("Nothing is to be changed: give at least one field, with another value than it has.")
    # A text is changed from what it was when it was read: what came in between would be lost.
    revision = item["rev"] if item and rev is None and any(map(stored.text, texts)) else rev
    return _changed(devops, await change(devops, id, [*only_at(revision), *operations]))


@part.tool(Access.DESTROY, confirm="id", harmless=("id", "permanent"))
async def delete_work_item(
    devops: DevOps,
    id: WorkItemId,
    permanent: Annotated[bool, Field(description="Past the recycle bin")] = False,
) -> Json:
    """Delete a work item. It goes to the recycle bin."""
    await devops.json(Request("DELETE /_apis/wit/workitems/{id}", {"id": id}, {"destroy": permanent}))
    return answer(id=id, deleted="for good" if permanent else "to the recycle bin")


@part.tool(Access.READ, harmless=("id",))
async def list_work_item_revisions(
    devops: DevOps, id: WorkItemId, maxResults: MaxResults = 50, detail: Detail = "summary"
) -> Json:
    """List the history of a work item: who changed what, oldest first."""
    request = Request("GET /_apis/wit/workItems/{id}/updates", {"id": id})
    return many(await devops.page(request, SKIP, maxResults), shown_revision, detail)


async def _item(devops: AzureDevOps, id: int) -> Json:
    return await devops.json(Request("GET /_apis/wit/workitems/{id}", {"id": id}))


def _operations(
    named: Json, others: OtherFields, texts: dict[str, str], stored: Stored, is_markdown: bool
) -> list[Operation]:
    rest = {name: value for name, value in (others or {}).items() if name not in texts}
    long = (text_operations(stored, name, text, is_markdown=is_markdown) for name, text in texts.items())
    return [*set_fields(named, None), *chain.from_iterable(long), *set_fields({}, rest)]


def _changed(devops: AzureDevOps, item: Json) -> Json:
    return answer(**single_item(item), link=_link(devops, item["id"]))


def _link(devops: AzureDevOps, id: int) -> str:
    return devops.organization.link("_workitems", "edit", id)
