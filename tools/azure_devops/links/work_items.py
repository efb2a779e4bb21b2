"""Links work items to each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Final, Literal

from changes.preview import Preview
from changes.undo import Undo, by_call
from mcp_server.declarations.change import Change, PlannedChange, StatedChange
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure_devops.access import DevOps
from tools.azure_devops.previews.work_items import PLACED, projects_of, relation_removed
from tools.azure_devops.shared.answers import Json, answer, every
from tools.azure_devops.shared.parameters import Comment, Detail, WorkItemId
from tools.azure_devops.shared.work_item_answers import LINKS, shown_link, target_of
from tools.azure_devops.shared.work_item_changes import add_relation, address_of, change, only_at, remove_relation
from tools.azure_devops.shared.work_item_reading import item_with_relations, items_of, listed_items

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
# For each kind of link: the words that connect the source with the target.
_READS: Final[Mapping[str, str]] = {
    "parent": "has parent",
    "child": "has child",
    "related": "is related to",
    "predecessor": "has predecessor",
    "successor": "has successor",
    "duplicate": "has duplicate",
    "duplicate-of": "is a duplicate of",
    "tests": "tests",
    "tested-by": "is tested by",
}
Kind = Annotated[LinkType, Field(description="child: the target is a child of the source")]
Source = Annotated[int, Field(ge=1, description="Work item id")]
Target = Annotated[int, Field(ge=1, description="Target id")]


def _unlinked(meant: Mapping[str, Any]) -> Undo:
    return by_call("remove_work_item_link", **{name: meant[name] for name in ("sourceId", "targetId", "linkType")})


@part.change(Access.WRITE, harmless=("sourceId", "targetId", "linkType"), undo=_unlinked)
async def link_work_items(
    devops: DevOps, sourceId: Source, targetId: Target, linkType: Kind, comment: Comment = None
) -> StatedChange[Json]:
    """Link a work item to another, such as its parent or child."""

    async def apply() -> Json:
        relation = add_relation(LINKS[linkType], address_of(devops.organization, targetId), comment=comment)
        item = await change(devops, sourceId, [relation])
        said = _sentence(sourceId, linkType, targetId)
        return answer(id=sourceId, rev=item["rev"], linked={"type": linkType, "id": targetId, "says": said})

    return StatedChange(apply)


@part.change(Access.DESTROY, harmless=("sourceId", "targetId", "linkType"))
async def remove_work_item_link(devops: DevOps, sourceId: Source, targetId: Target, linkType: Kind) -> Change[Json]:
    """Remove a link between two work items."""
    item = await item_with_relations(devops, sourceId)
    index = _place_of_link(item, linkType, targetId)
    said = _sentence(sourceId, linkType, targetId)

    async def preview() -> Preview:
        others = await items_of(devops, [targetId], PLACED)
        named = others[0]["fields"] if others else {}
        removed = {"link": said, "other": named.get("System.Title"), "type": named.get("System.WorkItemType")}
        comment = (item["relations"][index].get("attributes") or {}).get("comment")
        undo = by_call("link_work_items", sourceId=sourceId, targetId=targetId, linkType=linkType, comment=comment)
        shown = relation_removed(item, removed, undo=undo)
        return replace(shown, places={"project": projects_of([item, *others], 2)})

    async def apply() -> Json:
        # The change requires this revision, because any other change could shift the index of the link.
        changed = await change(devops, sourceId, [*only_at(item["rev"]), remove_relation(index)])
        return answer(id=sourceId, rev=changed["rev"], removed={"type": linkType, "id": targetId, "says": said})

    return PlannedChange(preview, apply)


def _place_of_link(item: Json, kind: LinkType, target: int) -> int:
    """Find a link among the relations of a work item, and return the link's index."""
    wanted = (LINKS[kind].lower(), target)
    for index, relation in enumerate(item.get("relations") or ()):
        if (relation["rel"].lower(), target_of(relation)) == wanted:
            return index
    raise Refusal(f"Link not found: {_sentence(item['id'], kind, target)}. get_linked_work_items lists the links.")


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
    # Two work items can be connected by several links, so an id can occur more than once.
    ids = list(dict.fromkeys(target for target, _ in links))
    found = {linked["id"]: linked for linked in await listed_items(devops, ids, detail)}
    return every([_linked(id, kind, found[target]) for target, kind in links if target in found], dict)


def _linked(source: int, kind: str, item: Json) -> Json:
    says = {"says": _sentence(source, kind, item["id"])} if kind in _READS else {}
    return {"link": kind, **says, **item}


def _sentence(source: int, kind: str, target: int) -> str:
    return f"{source} {_READS[kind]} {target}"
