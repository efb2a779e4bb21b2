"""Provides retirements, and plans work items for retirements: on request, and daily."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

from tools.jobs import OF_THIS_SERVER, Chore, Every, JobContext
from tools.provider import Provider, Supplies
from tools.retirements.access import RETIREMENTS, RetirementsAccess
from tools.retirements.settings import PLAN, PURPOSE, RetirementsSettings

if TYPE_CHECKING:
    from tasks.work import StepOutcome, WorkStep


@asynccontextmanager
async def access(settings: RetirementsSettings, supplies: Supplies) -> AsyncIterator[RetirementsAccess]:
    from retirements.claims import ItemClaims

    claims = ItemClaims(lambda: supplies.storage(PURPOSE))
    try:
        yield RetirementsAccess(settings.owner_tags, settings.teams, claims, supplies.opened)
    finally:
        await claims.close()


async def _begin_plans(given: JobContext[RetirementsAccess]) -> None:
    """Start a task for each team, so that a failure is retried without delaying other teams."""
    for team in (await given.opened()).teams:
        arguments = {"project": team.project, "area": team.area}
        await given.tasks().begin(PLAN, OF_THIS_SERVER, arguments, f"Planning retirements for {team.name}")


async def _plan(opened: RetirementsAccess, step: WorkStep) -> StepOutcome:
    from tools.retirements.daily import plan_for_team

    return await plan_for_team(opened, step)


provider: Final = Provider(
    key=RETIREMENTS,
    settings=RetirementsSettings,
    open=access,
    keeps=(PURPOSE,),
    works={PLAN: _plan},
    chores=(Chore("plan_retirements", Every.DAY, _begin_plans),),
)
