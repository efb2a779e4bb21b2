"""Reads, creates and changes a project's work items about retirements."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.failures import DevOpsRefusal
from clients.azure_devops.messages import DevOpsRequest
from refusal import Refusal
from retirements.claims import SECONDS_TO_MAKE, ItemClaims
from retirements.item_text import TAG
from retirements.planning import FIELDS, ItemAction, KnownItem, PlannedItem
from tools.azure_devops.shared.wiql import WorkItemFilters
from tools.azure_devops.shared.work_item_changes import Operation, created, only_at, patched, set_fields
from tools.azure_devops.shared.work_item_reading import items_of
from tools.azure_devops.shared.work_item_types import STATE, done_states, work_item_type, work_item_types

MOST_KNOWN: Final = 2000
_AT_ONCE: Final = 4
_DESCRIPTION: Final = "System.Description"
_COMMENT: Final = "System.History"
_OVERTAKEN: Final = 412
_BUSY: Final = "Another call is creating this work item now."
_EDITED: Final = "The work item changed in the meantime. Call again."


async def tagged(devops: AzureDevOps, project: str | None, limit: int) -> list[int]:
    """Return the ids of a project's or an organization's work items about retirements, last changed first."""
    query = {"query": WorkItemFilters(project=project, tags=[TAG]).query()}
    line, top = "POST /{project}/_apis/wit/wiql", {"$top": limit}
    found = await devops.json(DevOpsRequest(line, {"project": project}, top, body=query, is_read=True))
    return [int(one["id"]) for one in found["workItems"]]


@dataclass(slots=True)
class BoardOutcome:
    """The result of applying a plan: the IDs of work items by action, and the reasons why others were skipped."""

    done: dict[ItemAction, list[int]] = field(default_factory=dict)
    left: dict[str, list[str]] = field(default_factory=dict)

    def note(self, action: ItemAction, item: int) -> None:
        self.done.setdefault(action, []).append(item)

    def leave(self, planned: PlannedItem, why: str) -> None:
        self.left.setdefault(why, []).append(planned.title)


@dataclass(frozen=True)
class RetirementBoard:
    """The project and area of a team's work items about retirements. `kind` is the type of new work items."""

    devops: AzureDevOps
    project: str
    area: str | None
    kind: str
    claims: ItemClaims

    async def known(self) -> list[KnownItem]:
        """Return all work items, open or closed, that have the retirement tag and a retirement id.

        Raises:
            Refusal: The project has more of these work items than this method can read. With only some of these work
            items, callers would create duplicates of the others.
        """
        ids = await tagged(self.devops, self.project, MOST_KNOWN + 1)
        if len(ids) > MOST_KNOWN:
            raise Refusal(f"{self.project} has more than {MOST_KNOWN} work items with the tag {TAG}. Delete old ones.")
        return await self._read(ids)

    async def apply(self, plan: Sequence[PlannedItem]) -> BoardOutcome:
        """Apply the plan to several work items at once. Each change succeeds or fails independently."""
        outcome, gate = BoardOutcome(), asyncio.Semaphore(_AT_ONCE)

        async def one(planned: PlannedItem) -> None:
            async with gate:
                try:
                    await self._apply(planned, outcome)
                except Refusal as refusal:
                    outcome.leave(planned, str(refusal))

        await asyncio.gather(*(one(planned) for planned in plan))
        return outcome

    async def _apply(self, planned: PlannedItem, outcome: BoardOutcome) -> None:
        if planned.action is ItemAction.CREATE:
            await self._create(planned, outcome)
        elif planned.known:
            await self._change(planned, planned.known, outcome)

    async def _create(self, planned: PlannedItem, outcome: BoardOutcome) -> None:
        claim = await self.claims.take(self._key(planned))
        if claim is None:
            outcome.leave(planned, _BUSY)
            return
        if claim.is_taken_over and (made := await self._created_before(planned.marker, claim.item)):
            await self.claims.done(claim, made)
            outcome.leave(planned, f"Work item {made} already exists. Call again to update it.")
            return
        try:
            async with asyncio.timeout(SECONDS_TO_MAKE):
                item = await created(self.devops, self.project, self.kind, self._fields(planned))
        except DevOpsRefusal:
            await self.claims.give_back(claim)
            raise
        except TimeoutError:
            # The work item may have been created. After the claim has expired, the next call checks whether the work
            # item exists.
            outcome.leave(planned, "Azure DevOps did not answer in time. Call again in a few minutes.")
            return
        await self.claims.done(claim, int(item["id"]))
        outcome.note(ItemAction.CREATE, int(item["id"]))

    async def _change(self, planned: PlannedItem, known: KnownItem, outcome: BoardOutcome) -> None:
        operations = [*only_at(known.rev), *await self._changes(planned, known)]
        try:
            await patched(self.devops, known.id, operations)
        except DevOpsRefusal as refused:
            if refused.status != _OVERTAKEN:
                raise
            outcome.leave(planned, _EDITED)
        else:
            outcome.note(planned.action, known.id)

    async def _created_before(self, marker: str, item: int | None) -> int | None:
        """Return the id of the work item that was already created under this claim, even if search does not find it
        yet.
        """
        found = await self._read([item]) if item else []
        found += await self.known()
        return next((one.id for one in found if one.mark.marker == marker), None)

    async def _read(self, ids: Sequence[int]) -> list[KnownItem]:
        items = await items_of(self.devops, ids, FIELDS)
        done = await self._done_states() if items else {}
        found = (KnownItem.of(item, is_open=not _is_done(item, done)) for item in items)
        return [one for one in found if one]

    async def _done_states(self) -> Mapping[str, frozenset[str]]:
        """Return the completed states of each work item type."""
        kinds = await work_item_types(self.devops, self.project)
        return {kind: frozenset(states) for kinds_, states in done_states(kinds, None) for kind in kinds_}

    def _fields(self, planned: PlannedItem) -> list[Operation]:
        named = {"title": planned.title, "areaPath": self.area, "tags": [TAG]}
        return set_fields(named, {_DESCRIPTION: planned.description})

    async def _changes(self, planned: PlannedItem, known: KnownItem) -> list[Operation]:
        others: dict[str, Any] = {_DESCRIPTION: planned.description, _COMMENT: planned.comment}
        if planned.title != known.title:
            others["System.Title"] = planned.title
        if planned.action in {ItemAction.CLOSE, ItemAction.REOPEN}:
            category = "Completed" if planned.action is ItemAction.CLOSE else "Proposed"
            others[STATE] = await self._state(known.type, category)
        return set_fields({}, others)

    async def _state(self, kind: str, category: str) -> str:
        states = (await work_item_type(self.devops, self.project, kind))["states"]
        found = next((str(one["name"]) for one in states if one["category"] == category), None)
        if found is None:
            raise Refusal(f"The type {kind} has no state in the category {category}.")
        return found

    def _key(self, planned: PlannedItem) -> str:
        place = f"{self.devops.organization.base}-{self.project}".lower()
        safe = "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in place)
        return f"{safe[-200:]}-{planned.marker}"


def _is_done(item: Mapping[str, Any], done: Mapping[str, frozenset[str]]) -> bool:
    fields = item["fields"]
    return fields.get("System.State") in done.get(str(fields.get("System.WorkItemType")), frozenset())
