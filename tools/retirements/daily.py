"""Plans the work items of a team for retirements in the scopes that the operator lists, with the app's own identity."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from refusal import Refusal
from retirements.announcements import announced
from retirements.assessment import RetirementInquiry, assess
from retirements.scope import Scope
from tasks.work import HopelessError, StepDone, StepOutcome, WorkStep
from tools.azure.access import AZURE
from tools.azure_devops.access import AZURE_DEVOPS
from tools.azure_updates.access import UPDATES
from tools.retirements.access import RetirementsAccess
from tools.retirements.settings import Team
from tools.retirements.team_plans import team_plan
from tools.retirements.work_items import RetirementBoard

if TYPE_CHECKING:
    from updates.searching.index import UpdatesIndex

# Every Azure DevOps process has this work item type.
_KIND = "Task"


async def plan_for_team(access: RetirementsAccess, step: WorkStep) -> StepOutcome:
    """Plan the work items and apply the plan. If this step is killed and repeated, it applies the remaining changes.

    Raises:
        Refusal: The step failed and can be retried.
        HopelessError: An operator must change the settings.
    """
    team = Team(str(step.arguments["project"]), str(step.arguments["area"]))
    if team not in access.teams:
        return StepDone({"skipped": "RETIREMENTS_TEAMS no longer contains this team."})
    azure, devops = await access.opened(AZURE), await access.opened(AZURE_DEVOPS)
    if not azure.scopes_of_work:
        raise HopelessError(
            "TASKS_SCOPES has no readable scopes. Set TASKS_SCOPES to subscriptions or resource groups."
        )
    index = await _index(access)
    inquiry = RetirementInquiry(
        azure=azure.own(),
        scope=Scope.of_ids(azure.scopes_of_work),
        announcements=await asyncio.to_thread(announced, index),
        owner_tags=access.owner_tags,
    )
    board = RetirementBoard(devops.own(None), team.project, team.area or None, _KIND, access.claims)
    found = await assess(inquiry)
    plan = await team_plan(board, inquiry, found, index)
    outcome = await board.apply(plan.items)
    done = {action.value: ids for action, ids in outcome.done.items()}
    return StepDone({**done, "left": outcome.left, "failed": found.failed, "more": plan.more})


async def _index(access: RetirementsAccess) -> UpdatesIndex:
    index: UpdatesIndex = await (await access.opened(UPDATES)).library.index()
    if index.is_sample:
        raise Refusal("The updates are samples until the first sync of the real updates.")
    return index
