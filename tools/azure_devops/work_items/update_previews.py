"""Previews updates to work items: the new field values of each work item."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from changes.preview import Edit, Fact, Place, Preview
from changes.undo import Undo, by_call, by_hand, never
from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.messages import DevOpsRequest
from tools.azure_devops.previews.work_items import assigned, facts_of, title_of
from tools.azure_devops.shared.answers import Json, person
from tools.azure_devops.shared.field_names import AREA_ID, ITERATION_ID, PROJECT, TYPE
from tools.azure_devops.shared.work_item_changes import Operation
from tools.azure_devops.shared.work_item_texts import TEXTS, Stored
from tools.azure_devops.shared.work_item_types import STATE, work_item_type
from tools.azure_devops.work_items.batches import ItemChange
from tools.azure_devops.work_items.field_values import fields_of

_REMOVED: Final = "Removed"
# The number of an area or iteration does not show its project.
_BY_NUMBER: Final = frozenset({AREA_ID, ITERATION_ID})
_LONGEST_TITLE: Final = 80


async def update(devops: AzureDevOps, changes: Sequence[ItemChange], absent: Sequence[int]) -> Preview:
    """Preview the changes to some work items. `absent` contains the ids that were not found."""
    items = [change.item for change in changes]
    changing = [change for change in changes if change.operations]
    facts: dict[str, Fact] = {
        "work items": len(items),
        "already so": len(changes) - len(changing),
        "not found": [str(number) for number in sorted(absent)],
    }
    return Preview(
        what=title_of(items),
        sentence=f"Change {title_of(items)}",
        facts=facts | (facts_of(items[0]) if len(items) == 1 else {}),
        edits=[edit for change in changes for edit in _edits(change)],
        affected=sorted({who for item in items if (who := assigned(item))}),
        places={"project": await _projects(devops, changes)},
        destroys=await _goes_away(devops, changes),
        touches=len(changing),
        undo=set_back(changing),
    )


async def _projects(devops: AzureDevOps, changes: Sequence[ItemChange]) -> Place:
    """Return the projects of the work items before and after the changes, or None if a new project is unknown."""
    before = {str(change.item["fields"][PROJECT]) for change in changes}
    new_values = [_set_by(change.operations) for change in changes]
    if any(_BY_NUMBER & fields.keys() for fields in new_values):
        return None
    targets = {str(fields[PROJECT]).strip() for fields in new_values if fields.get(PROJECT)} - before
    # Callers may pass ids or former names, but approval rules use the current names.
    requests = [DevOpsRequest("GET /_apis/projects/{project}", {"project": name}) for name in sorted(targets)]
    found = await devops.all_of(*requests) if requests else []
    return sorted(before | {str(project["name"]) for project in found})


def set_back(changes: Sequence[ItemChange]) -> Undo:
    """Return the call that restores the current values, if all work items have the same values."""
    before = [_before(change) for change in changes]
    if not before:
        return never("nothing would change")
    if any(one != before[0] for one in before):
        return by_hand("update_work_item for each work item, with its previous values")
    ids = [change.id for change in changes]
    is_markdown = any(Stored.of(change.item).is_markdown(name) for change in changes for name in before[0])
    back = by_call(
        "update_work_item",
        id=ids[0] if len(ids) == 1 else ids,
        additionalFields=before[0],
        isMarkdown=is_markdown or None,
    )
    return back.but("the formatting of a text may differ") if TEXTS & before[0].keys() else back


def _before(change: ItemChange) -> dict[str, Any]:
    """Return the current values of the fields to change, as arguments of a call."""
    fields = change.item["fields"]
    return {name: _plain_value(fields.get(name)) for name in fields_of(change.operations)}


def _plain_value(value: Any) -> Any:
    if isinstance(value, Mapping):
        return value.get("uniqueName") or value.get("displayName") or ""
    return "" if value is None else value


def _edits(change: ItemChange) -> Iterator[Edit]:
    before = change.item["fields"]
    name = f"{change.id} {str(before.get('System.Title') or '')[:_LONGEST_TITLE]}".rstrip()
    for field, value in _set_by(change.operations).items():
        shown = _plain(before.get(field)), _plain(value)
        if shown[0] != shown[1]:
            yield Edit(f"{name}: {field}", *shown)


def _set_by(operations: Sequence[Operation]) -> dict[str, Any]:
    """Return the new values that the operations set, by field name."""
    parts = [(operation["path"].split("/"), operation.get("value")) for operation in operations]
    fields = {path[2]: value for path, value in parts if path[1] == "fields"}
    return fields | {f"format of {path[2]}": value for path, value in parts if path[1] == "multilineFieldsFormat"}


def _plain(value: Any) -> Fact:
    if isinstance(value, Mapping):
        return str(person(value))
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)


async def _goes_away(devops: AzureDevOps, changes: Sequence[ItemChange]) -> bool:
    """Check whether a work item moves to another project or to a state of the category Removed."""
    new_values = [(change.item, _set_by(change.operations)) for change in changes]
    if any(_leaves(item, fields) for item, fields in new_values):
        return True
    states = {
        (str(item["fields"][PROJECT]), str(fields.get(TYPE) or item["fields"][TYPE]), str(fields[STATE]).strip())
        for item, fields in new_values
        if fields.get(STATE)
    }
    return any([await _is_removed(devops, *state) for state in sorted(states)])


def _leaves(item: Json, fields: Mapping[str, Any]) -> bool:
    project = str(item["fields"][PROJECT])
    return bool(_BY_NUMBER & fields.keys()) or str(fields.get(PROJECT) or project).strip().lower() != project.lower()


async def _is_removed(devops: AzureDevOps, project: str, kind: str, state: str) -> bool:
    states = (await work_item_type(devops, project, kind)).get("states") or ()
    categories = {str(one["name"]).lower(): one.get("category") for one in states}
    return bool(categories.get(state.lower(), _REMOVED if state.lower() == "removed" else "") == _REMOVED)
