"""What changes to work items would do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from changes.preview import Edit, Fact, Preview
from clients.azure_devops.client import AzureDevOps
from refusal import Refusal
from tools.azure_devops.shared.answers import Json, person
from tools.azure_devops.shared.iterations import iteration_path
from tools.azure_devops.shared.work_item_answers import LINKS, attachments_of, target_of
from tools.azure_devops.shared.work_item_reading import LARGEST_ID, item_with_relations, items_of
from tools.azure_devops.shared.work_item_tags import TagChange
from tools.azure_devops.shared.work_item_types import STATE, work_item_type

PROJECT: Final = "System.TeamProject"
_REMOVED: Final = "Removed"
_CHILD: Final = LINKS["child"].lower()
_MOST_NAMED: Final = 50
_LONGEST_TITLE: Final = 80
_TAGS: Final = "System.Tags"
_NAMED: Final[Mapping[str, str]] = {
    "title": "System.Title",
    "state": STATE,
    "assignedTo": "System.AssignedTo",
    "areaPath": "System.AreaPath",
    "iterationPath": "System.IterationPath",
    "tags": "System.Tags",
    "priority": "Microsoft.VSTS.Common.Priority",
}


async def deletion(devops: AzureDevOps, id: int, *, permanent: bool) -> Preview:
    """What goes with a work item."""
    item = await item_with_relations(devops, id)
    links = [relation for relation in item.get("relations") or () if target_of(relation)]
    facts: dict[str, Fact] = {
        **facts_of(item),
        "children": [str(target_of(link)) for link in links if str(link["rel"]).lower() == _CHILD],
        "links to other work items": len(links),
        "attachments": len(attachments_of(item)),
        "can be restored": "no: it goes past the recycle bin" if permanent else "yes, from the recycle bin",
    }
    return about(item, facts=facts, grave="It cannot be restored." if permanent else "")


def relation_removed(item: Json, removed: Mapping[str, Any]) -> Preview:
    """What a work item loses: a link, or a file."""
    told = ", ".join(f"{name}: {value}" for name, value in removed.items() if value is not None)
    return about(item, facts=facts_of(item), edits=[Edit("removed", told)])


async def update(
    devops: AzureDevOps,
    ids: Sequence[int],
    wanted: Mapping[str, Any],
    others: Mapping[str, Any],
    tags: TagChange,
) -> tuple[Preview, Mapping[int, int]]:
    """What becomes of some work items: each that would get another value, from what to what; and their revisions."""
    items = await items_of(devops, [number for number in dict.fromkeys(ids) if number <= LARGEST_ID])
    if not items:
        raise Refusal("There are no such work items, or you may not see them. query_work_items finds their ids.")
    fields = {_NAMED[name]: value for name, value in wanted.items() if value is not None and name in _NAMED} | dict(
        others
    )
    edits = [edit for item in items for edit in await _edits(devops, item, {**fields, **_tagged(item, tags)})]
    absent = [str(number) for number in sorted(set(ids) - {item["id"] for item in items})]
    facts: dict[str, Fact] = {
        "work items": len(items),
        "so already": len(items) - len({edit.path.partition(" ")[0] for edit in edits}),
        "not found": absent,
    }
    told = Preview(
        what=_title(items),
        facts=facts | (facts_of(items[0]) if len(items) == 1 else {}),
        edits=edits,
        affected=sorted({who for item in items if (who := _assigned(item))}),
        places={"project": sorted({str(item["fields"][PROJECT]) for item in items})},
        destroys=await _goes_away(devops, items, fields),
    )
    return told, {int(item["id"]): int(item["rev"]) for item in items}


def _tagged(item: Json, tags: TagChange) -> dict[str, str]:
    return {_TAGS: tags.applied_to(item["fields"].get(_TAGS))} if tags else {}


def about(item: Json, *, facts: Mapping[str, Fact], edits: Sequence[Edit] = (), grave: str = "") -> Preview:
    who = _assigned(item)
    return Preview(
        what=_title([item]),
        facts=facts,
        edits=edits,
        affected=[who] if who else [],
        places={"project": str(item["fields"][PROJECT])},
        grave=grave,
    )


def facts_of(item: Json) -> dict[str, Fact]:
    fields = item["fields"]
    return {
        "state": fields.get(STATE),
        "area": fields.get("System.AreaPath"),
        "iteration": fields.get("System.IterationPath"),
        "revision": item["rev"],
    }


def _title(items: Sequence[Json]) -> str:
    if len(items) > 1:
        named = ", ".join(str(item["id"]) for item in items[:_MOST_NAMED])
        more = f" and {len(items) - _MOST_NAMED} more" if len(items) > _MOST_NAMED else ""
        return f"{len(items)} work items: {named}{more}"
    fields = items[0]["fields"]
    return f"{fields.get('System.WorkItemType')} {items[0]['id']}: {fields.get('System.Title')}"


def _assigned(item: Json) -> str:
    who = item["fields"].get("System.AssignedTo")
    return str(person(who)) if who else ""


async def _edits(devops: AzureDevOps, item: Json, fields: Mapping[str, Any]) -> list[Edit]:
    before, project = item["fields"], str(item["fields"][PROJECT])
    meant = dict(fields)
    if meant.get("System.IterationPath"):
        meant["System.IterationPath"] = await iteration_path(devops, project, str(meant["System.IterationPath"]))
    shown = {name: (_plain(before.get(name)), _plain(value)) for name, value in meant.items()}
    what = f"{item['id']} {str(before.get('System.Title') or '')[:_LONGEST_TITLE]}".rstrip()
    return [Edit(f"{what}: {name}", *pair) for name, pair in shown.items() if pair[0] != pair[1]]


def _plain(value: Any) -> Fact:
    if isinstance(value, Mapping):
        return str(person(value))
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)


async def _goes_away(devops: AzureDevOps, items: Sequence[Json], fields: Mapping[str, Any]) -> bool:
    """Whether a work item leaves its project, or gets into a state in which it counts as removed."""
    project, state = fields.get(PROJECT), fields.get(STATE)
    if project and any(str(item["fields"][PROJECT]).lower() != str(project).lower() for item in items):
        return True
    if not state:
        return False
    kinds = {(str(item["fields"][PROJECT]), str(item["fields"]["System.WorkItemType"])) for item in items}
    for kind in sorted(kinds):
        states = (await work_item_type(devops, *kind)).get("states") or ()
        categories = {str(one["name"]).lower(): one.get("category") for one in states}
        if categories.get(str(state).lower(), _REMOVED if str(state).lower() == "removed" else "") == _REMOVED:
            return True
    return False
