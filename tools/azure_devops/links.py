"""Links between work items."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure_devops.provider import DevOps
from tools.azure_devops.shared.answers import Json, answer, every
from tools.azure_devops.shared.parameters import Comment, Detail, WorkItemId
from tools.azure_devops.shared.work_item_answers import LINKS, shown_link, target_of
from tools.azure_devops.shared.work_item_changes import add_relation, address_of, change, only_at, remove_relation
from tools.azure_devops.shared.work_item_reading import item_with_relations, listed_items

part = Part()

LinkType = Literal[
    "parent",
    "child",
    "related",
    "predecessor",
    "successor",
    "duplicate",
    "duplicate-of",
    "tests",
    "tested-by",
]
Kind = Annotated[LinkType, Field(description="What the target is to the source")]
Source = Annotated[int, Field(ge=1, description="Work item id")]
Target = Annotated[int, Field(ge=1, description="The other's id")]


@part.tool(Access.WRITE, harmless=("sourceId", "targetId", "linkType"))
async def link_work_items(
    devops: DevOps, sourceId: Source, targetId: Target, linkType: Kind, comment: Comment = None
) -> Json:
    """Link a work item to another, as its parent, child or in another way."""
    relation = add_relation(LINKS[linkType], address_of(devops.organization, targetId), comment=comment)
    item = await change(devops, sourceId, [relation])
    return answer(id=sourceId, rev=item["rev"], linked={"type": linkType, "id": targetId})


@part.tool(Access.DESTROY, confirm="targetId", harmless=("sourceId", "targetId", "linkType"))
async def remove_work_item_link(devops: DevOps, sourceId: Source, targetId: Target, linkType: Kind) -> Json:
    """Remove the link from a work item to another."""
    item = await item_with_relations(devops, sourceId)
    relations = item.get("relations") or []
    wanted = (LINKS[linkType].lower(), targetId)
    for index, relation in enumerate(relations):
        if (relation["rel"].lower(), target_of(relation)) == wanted:
            # At this revision only, because the place of a link moves when others come and go.
            changed = await change(devops, sourceId, [*only_at(item["rev"]), remove_relation(index)])
            return answer(id=sourceId, rev=changed["rev"], removed={"type": linkType, "id": targetId})
    raise Refusal(
        f"Work item {sourceId} has no link of type {linkType} to {targetId}. get_linked_work_items lists its links."
    )


@part.tool(Access.READ, harmless=("id", "linkType"))
async def get_linked_work_items(
    devops: DevOps,
    id: WorkItemId,
    linkType: Annotated[LinkType | None, Field(description="Only these")] = None,
    detail: Detail = "summary",
) -> Json:
    """Get the work items that a work item is linked to."""
    item = await item_with_relations(devops, id)
    links = [
        (target, shown_link(relation)["type"])
        for relation in item.get("relations") or ()
        if (target := target_of(relation)) and (linkType is None or relation["rel"] == LINKS[linkType])
    ]
    # Two work items may be linked in several ways.
    ids = list(dict.fromkeys(target for target, _ in links))
    found = {linked["id"]: linked for linked in await listed_items(devops, ids, detail)}
    return every([{"link": kind, **found[target]} for target, kind in links if target in found], dict)
