"""Updates one work item, or several work items with the same values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Final

from changes.preview import Preview
from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.messages import DevOpsRequest
from mcp_server.declarations.change import Change
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure_devops.access import DevOps
from tools.azure_devops.shared.answers import Json, answer
from tools.azure_devops.shared.field_names import (
    AREA_ID,
    ITERATION_ID,
    PROJECT,
    by_reference_name,
    refuse_parent,
    refuse_repeated,
)
from tools.azure_devops.shared.parameters import (
    Area,
    FewerTags,
    Iteration,
    MoreTags,
    NewTags,
    OtherFields,
    Priority,
    Prose,
    Revisions,
    WorkItemIds,
)
from tools.azure_devops.shared.people import assignee
from tools.azure_devops.shared.work_item_changes import WORK_ITEM, change
from tools.azure_devops.shared.work_item_reading import LARGEST_ID, items_of
from tools.azure_devops.shared.work_item_tags import TagChange
from tools.azure_devops.shared.work_item_texts import IsMarkdown
from tools.azure_devops.shared.work_item_types import STATE
from tools.azure_devops.work_items.batches import AT_ONCE, SECONDS, Batch, ItemChange
from tools.azure_devops.work_items.field_values import NOTHING, FieldValues
from tools.azure_devops.work_items.update_previews import update

part = Part()


_MOVING: Final = frozenset({PROJECT, STATE, AREA_ID, ITERATION_ID})


def _may_go_away(meant: Mapping[str, Any]) -> bool:
    """Check whether the arguments could move work items to another project or to a state of the category Removed."""
    return meant.get("state") is not None or bool(_MOVING & by_reference_name(meant.get("additionalFields")).keys())


@part.change(Access.WRITE, destroys=_may_go_away, is_many=True, harmless=("id", "state"), seconds=SECONDS)
async def update_work_item(
    devops: DevOps,
    id: WorkItemIds,
    title: Annotated[str | None, Field(description="New title")] = None,
    description: Prose = None,
    state: Annotated[str | None, Field(description="Such as Closed")] = None,
    assignedTo: Annotated[str | None, Field(description='Email, name or @Me; "" for nobody')] = None,
    areaPath: Area = None,
    iterationPath: Iteration = None,
    tags: NewTags = None,
    priority: Priority = None,
    additionalFields: OtherFields = None,
    addTags: MoreTags = None,
    removeTags: FewerTags = None,
    rev: Revisions = None,
    isMarkdown: IsMarkdown = False,
) -> Updating:
    """Change, assign, tag or close one or several work items; other fields stay."""
    refuse_repeated(additionalFields)
    refuse_parent(by_reference_name(additionalFields))
    who = await assignee(devops, assignedTo)
    where = {"areaPath": areaPath, "iterationPath": iterationPath, "state": state}
    what = {"title": title, "assignedTo": who, "tags": tags, "priority": priority}
    values = FieldValues(
        named=what | where,
        others=by_reference_name(additionalFields),
        description=description,
        is_markdown=isMarkdown,
        tags=TagChange.of(addTags, removeTags, all_of_them=tags),
    )
    if values.is_nothing:
        raise Refusal(NOTHING)
    if isinstance(id, int):
        return Updating(devops, id, [await _one(devops, replace(values, revision=_revisions([id], rev).get(id)), id)])
    ids = list(dict.fromkeys(id))
    return Updating(devops, ids, await _several(devops, values, ids, _revisions(id, rev)))


@dataclass(frozen=True)
class Updating(Change[Json]):
    """The planned changes to existing work items. `ids` are the ids that the caller passed."""

    devops: AzureDevOps
    ids: int | Sequence[int]
    planned: Sequence[ItemChange]

    async def preview(self) -> Preview:
        if not self.planned:
            raise Refusal("Work items not found, or you are not allowed to see them. query_work_items finds ids.")
        ids = [self.ids] if isinstance(self.ids, int) else self.ids
        return await update(self.devops, self.planned, sorted(set(ids) - {change.id for change in self.planned}))

    async def apply(self) -> Json:
        if isinstance(self.ids, int):
            return await self._apply_one(self.ids)
        return await self._apply_several(self.ids)

    async def _apply_one(self, id: int) -> Json:
        [planned] = self.planned
        after = await change(self.devops, id, planned.operations) if planned.operations else planned.item
        return answer(**planned.result(after), link=self.devops.organization.link("_workitems", "edit", id))

    async def _apply_several(self, ids: Sequence[int]) -> Json:
        batch = Batch(self.devops, self.planned)
        await batch.run()
        changed = [batch.changed[number] for number in ids if number in batch.changed]
        refused = batch.refused_among(ids)
        states = await batch.valid_states()
        if not changed:
            reasons = [f"{', '.join(map(str, group['ids']))}: {group['why']}" for group in refused]
            raise Refusal(" ".join(["No work item is known to have changed.", *reasons, *states]))
        link = f"{self.devops.organization.link('_workitems', 'edit')}/{{id}}"
        return answer(count=len(changed), items=changed, refused=refused, states=states, link=link)


def _revisions(ids: Sequence[int], rev: int | Sequence[int] | None) -> Mapping[int, int]:
    """Return the required revision of each work item.

    Raises:
        Refusal: The number of revisions differs from the number of work items.
    """
    given = [rev] if isinstance(rev, int) else list(rev or ())
    if given and len(given) != len(ids):
        raise Refusal(
            f"`rev` must have one revision for each work item ({len(ids)}), but has {len(given)}. Pass the revisions in"
            " the same order, or omit `rev`. Nothing was changed."
        )
    return dict(zip(ids, given, strict=False))


async def _one(devops: AzureDevOps, values: FieldValues, id: int) -> ItemChange:
    item = await devops.json(DevOpsRequest(f"GET {WORK_ITEM}", {"id": id}))
    placed = (await _placed(devops, values, [item]))[_project(item)]
    if not placed.changing(item):
        raise Refusal(NOTHING)
    return ItemChange(item, placed.lacking(item))


async def _several(
    devops: AzureDevOps, values: FieldValues, ids: Sequence[int], revisions: Mapping[int, int]
) -> list[ItemChange]:
    items = await _read(devops, values, ids)
    placed = await _placed(devops, values, items)
    return [_lacking(item, placed[_project(item)], revisions) for item in items]


async def _read(devops: AzureDevOps, values: FieldValues, ids: Sequence[int]) -> list[Json]:
    """Read the work items, and omit those that do not exist."""
    # An invalid id would make the request fail for all other work items.
    found = await items_of(devops, [number for number in ids if number <= LARGEST_ID])
    if not values.has_texts:
        return found
    # Request each work item separately. Otherwise, the service may omit the formats of the texts.
    alone = [DevOpsRequest(f"GET {WORK_ITEM}", {"id": item["id"]}) for item in found]
    chunks = [alone[start : start + AT_ONCE] for start in range(0, len(alone), AT_ONCE)]
    return [item for chunk in chunks for item in await devops.all_of(*chunk)]


async def _placed(devops: AzureDevOps, values: FieldValues, items: Sequence[Json]) -> Mapping[str, FieldValues]:
    """Return the requested values for each project, because iteration paths differ between projects. Invalid values are
    rejected before any work item is changed.
    """
    return {project: await values.in_project(devops, project) for project in dict.fromkeys(map(_project, items))}


def _lacking(item: Json, values: FieldValues, revisions: Mapping[int, int]) -> ItemChange:
    return ItemChange(item, replace(values, revision=revisions.get(int(item["id"]))).lacking(item))


def _project(item: Mapping[str, Any]) -> str:
    return str(item["fields"]["System.TeamProject"])
