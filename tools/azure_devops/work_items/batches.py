"""Applies one change to several work items. Each change succeeds or fails independently, and the answer reports each
result.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, Final

from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.failures import DevOpsRefusal
from refusal import Refusal
from tools.azure_devops.shared.answers import Json
from tools.azure_devops.shared.work_item_answers import changed_fields
from tools.azure_devops.shared.work_item_changes import Operation, is_about_state, patched
from tools.azure_devops.shared.work_item_types import valid_states, work_item_type
from tools.azure_devops.work_items.field_values import fields_of

SECONDS: Final = 120.0
AT_ONCE: Final = 8

# After this many seconds, no further update starts, so that results are returned before the call times out.
_SECONDS_TO_BEGIN: Final = 40.0
# Errors that affect a single work item. All other errors would affect the other work items, too.
_OF_ONE: Final = frozenset({400, 403, 404, 409, 412, 413})
_MISSING: Final = "Not found, or not visible to you. query_work_items finds the ids of work items."
_TOO_LATE: Final = "Not tried, because the other work items took too long. Call again with these ids."


@dataclass(frozen=True, slots=True)
class ItemChange:
    """A work item as it was read, and the planned operations."""

    item: Json
    operations: Sequence[Operation]

    @property
    def id(self) -> int:
        return int(self.item["id"])

    @property
    def type(self) -> tuple[str, str]:
        fields = self.item["fields"]
        return fields["System.TeamProject"], fields["System.WorkItemType"]

    def result(self, after: Mapping[str, Any]) -> Json:
        """Return the changed fields with their new values. Long texts are left out."""
        changed = changed_fields(self.item, after, fields_of(self.operations))
        return {"id": self.id, "rev": after["rev"], **({"changed": changed} if changed else {"unchanged": True})}


@dataclass
class Batch:
    """Applies changes in parallel. No change starts after `begin_until`."""

    devops: AzureDevOps
    planned: Sequence[ItemChange]
    begin_until: float = field(default_factory=lambda: monotonic() + _SECONDS_TO_BEGIN)
    changed: dict[int, Json] = field(default_factory=dict)
    _refused: dict[int, str] = field(default_factory=dict)
    _types: set[tuple[str, str]] = field(default_factory=set)
    _stopped_by: int | None = None

    async def run(self) -> None:
        gate = asyncio.Semaphore(AT_ONCE)
        # All changes end before an exception is raised, so no change keeps running in the background.
        ended = await asyncio.gather(*(self._one(gate, change) for change in self.planned), return_exceptions=True)
        for failure in ended:
            if failure is not None:
                raise failure

    async def _one(self, gate: asyncio.Semaphore, change: ItemChange) -> None:
        async with gate:
            if self._stopped_by is not None:
                self._refused[change.id] = f"Not tried, because {self._stopped_by} failed."
            elif monotonic() > self.begin_until:
                self._refused[change.id] = _TOO_LATE
            else:
                await self._make(change)

    async def _make(self, change: ItemChange) -> None:
        try:
            # If there are no operations, the work item already has these values.
            after = await patched(self.devops, change.id, change.operations) if change.operations else change.item
            self.changed[change.id] = change.result(after)
        except Refusal as refused:
            self._refused[change.id] = str(refused)
            if not isinstance(refused, DevOpsRefusal) or refused.status not in _OF_ONE:
                self._stopped_by = change.id
            elif is_about_state(refused, change.operations):
                self._types.add(change.type)

    def refused_among(self, ids: Sequence[int]) -> list[Json]:
        """Return the work items that were not changed, grouped by the reason."""
        by_reason: dict[str, list[int]] = {}
        for number in ids:
            if number not in self.changed:
                by_reason.setdefault(self._refused.get(number, _MISSING), []).append(number)
        return [{"ids": numbers, "why": why} for why, numbers in by_reason.items()]

    async def valid_states(self) -> list[str]:
        """If a requested state may be invalid for some work item types, return the valid states of these types."""
        try:
            kinds = [await work_item_type(self.devops, project, name) for project, name in sorted(self._types)]
        except Refusal:
            # The caller needs the list of changes even if the valid states cannot be read.
            return []
        return [valid_states(kind, None) for kind in kinds]
