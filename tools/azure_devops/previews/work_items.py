"""What changes to work items would do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from changes.preview import Edit, Fact, Preview
from tools.azure_devops.shared.answers import Json, person
from tools.azure_devops.shared.work_item_answers import LINKS, attachments_of, target_of
from tools.azure_devops.shared.work_item_types import STATE

PROJECT: Final = "System.TeamProject"
_CHILD: Final = LINKS["child"].lower()
_MOST_NAMED: Final = 50


def deletion(item: Json, *, permanent: bool) -> Preview:
    """What goes with a work item."""
    links = [relation for relation in item.get("relations") or () if target_of(relation)]
    facts: dict[str, Fact] = {
        **facts_of(item),
        "children": [str(target_of(link)) for link in links if str(link["rel"]).lower() == _CHILD],
        "links to other work items": len(links),
        "attachments": len(attachments_of(item)),
        "can be restored": "no: it goes past the recycle bin" if permanent else "yes, from the recycle bin",
    }
    undo = "Nothing undoes this." if permanent else "Azure DevOps on the web restores it from the recycle bin."
    shown = about(item, facts=facts, grave="It cannot be restored." if permanent else "")
    return replace(shown, sentence=f"Delete {shown.what}{' for good' if permanent else ''}", undo=undo)


def relation_removed(item: Json, removed: Mapping[str, Any], *, undo: str) -> Preview:
    """What a work item loses: a link, or a file."""
    told = ", ".join(f"{name}: {value}" for name, value in removed.items() if value is not None)
    what = f"attachment {removed['name']}" if "name" in removed else f"link {removed.get('link')}"
    shown = about(item, facts=facts_of(item), edits=[Edit(what, told)])
    return replace(shown, sentence=f"Remove the {what} from {shown.what}", undo=undo)


def fields_set(item: Json, fields: Mapping[str, Any]) -> Preview:
    """What becomes of a work item that gets these values."""
    before = item["fields"]
    edits = [Edit(name, before.get(name), value) for name, value in fields.items() if before.get(name) != value]
    shown = about(item, facts=facts_of(item), edits=edits)
    undo = "The history of the work item has its earlier values: update_work_item sets them again."
    return replace(shown, sentence=f"Change {shown.what}", undo=undo, destroys=False)


def about(item: Json, *, facts: Mapping[str, Fact], edits: Sequence[Edit] = (), grave: str = "") -> Preview:
    who = assigned(item)
    return Preview(
        what=title_of([item]),
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


def title_of(items: Sequence[Json]) -> str:
    if len(items) > 1:
        named = ", ".join(str(item["id"]) for item in items[:_MOST_NAMED])
        more = f" and {len(items) - _MOST_NAMED} more" if len(items) > _MOST_NAMED else ""
        return f"{len(items)} work items: {named}{more}"
    fields = items[0]["fields"]
    return f"{fields.get('System.WorkItemType')} {items[0]['id']}: {fields.get('System.Title')}"


def assigned(item: Json) -> str:
    who = item["fields"].get("System.AssignedTo")
    return str(person(who)) if who else ""
