"""Previews changes to work items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from changes.preview import Edit, Fact, Place, Preview
from changes.undo import Undo, by_hand, never
from tools.azure_devops.shared.answers import Json, person
from tools.azure_devops.shared.field_names import PROJECT
from tools.azure_devops.shared.work_item_answers import LINKS, attachments_of, target_of
from tools.azure_devops.shared.work_item_types import STATE

PLACED: Final = (PROJECT, "System.Title", "System.WorkItemType")
_CHILD: Final = LINKS["child"].lower()
_MOST_NAMED: Final = 50


def deletion(item: Json, *, permanent: bool) -> Preview:
    """Preview the deletion of a work item."""
    links = [relation for relation in item.get("relations") or () if target_of(relation)]
    facts: dict[str, Fact] = {
        **facts_of(item),
        "children": [str(target_of(link)) for link in links if str(link["rel"]).lower() == _CHILD],
        "links to other work items": len(links),
        "attachments": len(attachments_of(item)),
        "can be restored": "no: it skips the recycle bin" if permanent else "yes, from the recycle bin",
    }
    undo = never("it is deleted permanently") if permanent else by_hand("restore it from the recycle bin on the web")
    shown = about(item, undo, facts=facts, grave="The work item cannot be restored." if permanent else "")
    return replace(shown, sentence=f"Delete {shown.what}{' permanently' if permanent else ''}")


def relation_removed(item: Json, removed: Mapping[str, Any], *, undo: Undo) -> Preview:
    """Preview the removal of a link or file from a work item."""
    details = ", ".join(f"{name}: {value}" for name, value in removed.items() if value is not None)
    what = f"attachment {removed['name']}" if "name" in removed else f"link {removed.get('link')}"
    shown = about(item, undo, facts=facts_of(item), edits=[Edit(what, details)])
    return replace(shown, sentence=f"Remove the {what} from {shown.what}")


def projects_of(items: Sequence[Json], count: int) -> Place:
    """Return the projects of linked work items, or None if fewer than `count` were found."""
    return sorted({str(item["fields"][PROJECT]) for item in items}) if len(items) >= count else None


def fields_set(item: Json, fields: Mapping[str, Any], undo: Undo) -> Preview:
    """Preview new field values of a work item."""
    before = item["fields"]
    edits = [Edit(name, before.get(name), value) for name, value in fields.items() if before.get(name) != value]
    shown = about(item, undo, facts=facts_of(item), edits=edits)
    return replace(shown, sentence=f"Change {shown.what}", destroys=False)


def about(item: Json, undo: Undo, *, facts: Mapping[str, Fact], edits: Sequence[Edit] = (), grave: str = "") -> Preview:
    who = assigned(item)
    return Preview(
        what=title_of([item]),
        facts=facts,
        edits=edits,
        affected=[who] if who else [],
        places={"project": str(item["fields"][PROJECT])},
        grave=grave,
        undo=undo,
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
