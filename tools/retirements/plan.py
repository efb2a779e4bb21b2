"""Creates and updates work items for retirements as a single change. Repeating the change creates no duplicates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Final

from changes.preview import Edit, Preview
from changes.undo import by_hand
from mcp_server.declarations.change import Change
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from mcp_server.visit import Context
from retirements.planning import ItemAction, PlannedItem
from tools.azure.access import Arm
from tools.azure.shared.answers import Json, answer
from tools.azure_devops.access import DevOps
from tools.azure_devops.shared.parameters import Area, Project
from tools.retirements.access import Retirements
from tools.retirements.here import Scope, Until
from tools.retirements.looking import Look, index_for, look
from tools.retirements.team_plans import TeamPlan, team_plan
from tools.retirements.work_items import BoardOutcome, RetirementBoard

part = Part()

_UNDO: Final = by_hand(
    "delete_work_item deletes new work items; list_work_item_revisions shows the previous values of changed work items"
)
_VERBS: Final = {
    ItemAction.CREATE: "create",
    ItemAction.UPDATE: "update",
    ItemAction.CLOSE: "close",
    ItemAction.REOPEN: "reopen",
}


@dataclass(frozen=True)
class PlanChange(Change[Json]):
    board: RetirementBoard
    plan: TeamPlan
    seen: Look

    @property
    def is_no_op(self) -> bool:
        return not self.plan.items

    async def preview(self) -> Preview:
        items = self.plan.items
        return Preview(
            what=f"Work items about retirements in {self.board.project}",
            sentence=f"{_counted(items).capitalize()} about retirements in {self.board.project}",
            facts={"project": self.board.project, "area": self.board.area, "type of new items": self.board.kind},
            edits=[_edit(one) for one in items],
            places={"project": self.board.project},
            destroys=False,
            touches=len(items),
            undo=_UNDO,
            notes=_notes(self.plan, self.seen),
        )

    async def apply(self) -> Json:
        return _outcome_answer(await self.board.apply(self.plan.items), self.plan, self.seen)


@part.change(Access.WRITE, harmless=("project", "areaPath", "type", "until", "scope"), seconds=180)
async def plan_retirements(
    context: Context,
    azure: Arm,
    devops: DevOps,
    retirements: Retirements,
    project: Project = None,
    areaPath: Area = None,
    type: Annotated[str, Field(min_length=1, max_length=100, description="For new work items")] = "Task",
    until: Until = None,
    scope: Scope = None,
) -> Change[Json]:
    """Create and update work items for retirements: one for each retirement and owner, never twice.

    Updates dates and texts, adds a comment when resources are gone, and closes items with no resources left.
    """
    board = RetirementBoard(devops, devops.project(project), areaPath, type, retirements.claims)
    seen = await look(context, azure, scope, until)
    plan = await team_plan(board, seen.inquiry, seen.assessment, await index_for(context))
    return PlanChange(board, plan, seen)


def _counted(items: Sequence[PlannedItem]) -> str:
    counts = Counter(one.action for one in items)
    told = [f"{_VERBS[action]} {counts[action]}" for action in ItemAction if counts[action]]
    return f"{', '.join(told)} work items" if told else "change no work items"


def _edit(one: PlannedItem) -> Edit:
    number = one.number
    listed = f"{number} resource{'' if number == 1 else 's'}"
    if one.known is None:
        return Edit(f"new: {one.title}", None, listed)
    return Edit(f"{_VERBS[one.action]} #{one.known.id}: {one.title}", one.known.state, one.comment)


def _notes(plan: TeamPlan, seen: Look) -> list[str]:
    more = [f"{plan.more} more work items are planned. Call again."] if plan.more else []
    failed = [f"{name} was not read: {why}" for name, why in seen.assessment.failed.items()]
    return [*more, *failed, *seen.assessment.partly, *seen.notes]


def _outcome_answer(outcome: BoardOutcome, plan: TeamPlan, seen: Look) -> Json:
    done = {f"{_VERBS[action]}d": sorted(ids) for action, ids in outcome.done.items()}
    done = {name.replace("reopend", "reopened"): ids for name, ids in done.items()}
    return answer(
        **done,
        unchanged=None if plan.items else "Every work item is up to date.",
        left=[{"why": why, "items": titles} for why, titles in outcome.left.items()],
        notes=_notes(plan, seen),
    )
