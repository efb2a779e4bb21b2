"""The daily plan of a team: once, whoever else plans at the same moment and whenever somebody is killed."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from clients.folder_storage import FolderStorage
from retirements.claims import SECONDS_CLAIMED, ItemClaims
from retirements.item_text import mark_in
from tasks.work import HopelessError, StepDone, WorkStep
from tests.fakes.mortality import KilledError, Life
from tests.sweeps import Sweep
from tests.tools.retirements.world import TEAM, World, asking, opened, plan
from tools.azure.access import AZURE
from tools.key import Key
from tools.retirements.access import RETIREMENTS, RetirementsAccess
from tools.retirements.daily import plan_for_team
from tools.retirements.settings import Team, teams

pytestmark = pytest.mark.anyio

STEP = WorkStep("task", {"project": TEAM.project, "area": TEAM.area}, {}, {}, 0, lambda *_: None)


class Clock:
    now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def process(there: dict[Key[Any], Any], world: World, clock: Clock, life: Life | None = None) -> RetirementsAccess:
    """What one process works with; each has its own connection to the same storage."""
    storage = FolderStorage(world.folder / "claims")
    claims = ItemClaims(lambda: (life or Life()).of(storage), clock)
    access: RetirementsAccess = replace(there[RETIREMENTS], claims=claims)
    return access


def markers(world: World) -> Counter[str]:
    marks = (mark_in(fields["System.Description"]) for fields in world.items.values())
    return Counter(mark.marker for mark in marks if mark)


async def done(access: RetirementsAccess) -> dict[str, Any]:
    outcome = await plan_for_team(access, STEP)
    assert isinstance(outcome, StepDone)
    return dict(outcome.result)


async def test_the_server_plans_by_itself_on_the_scopes_of_the_operator(world: World) -> None:
    async with opened(world) as there:
        result = await done(process(there, world, Clock()))
    assert result["failed"] == {}
    assert len(result["create"]) == len(world.items) == 11
    assert all("oven-test" not in one["System.Description"] for one in world.items.values())
    assert {one["System.AreaPath"] for one in world.items.values()} == {TEAM.area}


async def test_two_timers_at_the_same_moment_make_each_work_item_once(world: World) -> None:
    async with opened(world) as there:
        clock = Clock()
        both = [process(there, world, clock) for _ in range(2)]
        results = await asyncio.gather(*map(done, both))
    assert sorted(markers(world).values()) == [1] * 11
    assert sum(len(one.get("create", ())) for one in results) == 11


async def test_a_caller_and_a_timer_make_each_once(world: World) -> None:
    async with asking(world) as caller, opened(world) as there:
        await asyncio.gather(done(there[RETIREMENTS]), plan(caller))
        await plan(caller)
    assert set(markers(world).values()) == {1}


@Sweep("last_step", [1, 4, 8, 12, 15, 18, 20, 23, 27], every=3)
async def test_killed_anywhere_and_begun_again_each_is_there_once(world: World, last_step: int) -> None:
    async with opened(world) as there:
        clock = Clock()
        with pytest.raises(KilledError):
            await done(process(there, world, clock, Life(last_step)))
        clock.now += SECONDS_CLAIMED + 1
        await done(process(there, world, clock))
        await done(process(there, world, clock))
    assert sorted(markers(world).values()) == [1] * 11


async def test_one_that_was_deleted_is_made_again(world: World) -> None:
    async with opened(world) as there:
        access = process(there, world, Clock())
        await done(access)
        number = next(iter(world.items))
        del world.devops.work_items.revisions[number]
        world.devops.work_items.recycled[number] = []
        assert len((await done(access))["create"]) == 1


async def test_without_scopes_or_a_team_nothing_is_done(world: World) -> None:
    async with opened(world) as there:
        access = process(there, world, Clock())
        assert "skipped" in await done(replace(access, teams=()))
        there[AZURE] = replace(there[AZURE], scopes_of_work=())
        with pytest.raises(HopelessError, match="TASKS_SCOPES"):
            await done(access)


async def test_where_the_storage_is_away_nothing_is_made(world: World) -> None:
    async with opened(world) as there:
        result = await done(process(there, world, Clock(), Life(outages=range(1, 1000))))
    assert world.items == {}
    assert any("storage" in why for why in result["left"])


def test_teams_are_projects_with_or_without_areas() -> None:
    assert teams("Shop: Shop\\Web; Oven") == (Team("Shop", "Shop\\Web"), Team("Oven"))
    assert teams("") == ()
    for wrong in (": Shop", "Shop: Other\\Web", ";".join(f"P{number}" for number in range(21))):
        with pytest.raises(ValueError, match="team"):
            teams(wrong)
