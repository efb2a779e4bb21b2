"""Which work items are planned for what retires: only those with a mark, only for whoever may read work items."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from clients.azure_devops.reach import DevOpsReach, ReachLock
from identity.access import Access
from identity.grants import Grants
from mcp_server.catalog.catalog import Catalog
from retirements.item_text import TAG
from tests.exploring.planted import HOSTILE_TITLES
from tests.fakes.azure_devops.troubles import failing
from tests.sweeps import Sweep
from tests.tools.azure.inventing import answered
from tests.tools.retirements.world import PROJECT, REDIS, World, add_marked_item, asking, plan, retiring
from tools import TOOLSETS
from tools.azure_devops.access import AZURE_DEVOPS

pytestmark = pytest.mark.anyio

READS: Final = [(name, Access.READ) for name in ("retirements", "azure-updates", "resource", "advisor", "monitor")]
NOT_SET: Final = "Azure DevOps is not configured."


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def redis_in(answer: dict[str, Any]) -> dict[str, Any]:
    found = retiring(answer, REDIS)
    assert found
    return found


def asked_of_devops(world: World) -> list[str]:
    return [one.path.rpartition("/")[2] for one in world.devops.asked if "/wit/" in one.path]


async def test_each_retirement_has_its_work_items_by_state(world: World) -> None:
    async with asking(world) as caller:
        before = await answered(caller, "what_retires_here")
        await plan(caller)
        [number] = [key for key, one in world.items.items() if REDIS in one["System.Description"]]
        world.devops.work_items.latest(number)["fields"]["System.State"] = "Active"
        after = await answered(caller, "what_retires_here")
    assert not [one for one in before["items"] if "workItems" in one]
    assert "workItemLinksBeginWith" not in before
    assert redis_in(after)["workItems"] == {str(number): "Active"}
    assert f"{after['workItemLinksBeginWith']}{number}" == f"https://dev.azure.com/acme/_workitems/edit/{number}"
    numbers = [int(key) for one in after["items"] for key in one["workItems"]]
    assert sorted(numbers) == sorted(world.items)


async def test_all_are_found_by_one_query_and_the_answer_stays_short(world: World) -> None:
    async with asking(world) as caller:
        await plan(caller)
        world.devops.asked.clear()
        answer = await answered(caller, "what_retires_here")
    assert asked_of_devops(world) == ["wiql", "workitemsbatch"]
    # Four characters are about a token.
    assert len(json.dumps(answer, separators=(",", ":"))) < 4 * 1450


async def test_without_the_tool_that_reads_work_items_they_are_not_asked_for(world: World) -> None:
    async with asking(world) as caller:
        await plan(caller)
    world.devops.asked.clear()
    async with asking(world, grants=Grants.of(READS)) as caller:
        answer = await answered(caller, "what_retires_here")
    assert (answer["notGranted"], answer.get("failed")) == (["Work items"], None)
    assert asked_of_devops(world) == []
    assert "workItems" not in redis_in(answer)


async def test_without_azure_devops_the_setting_is_named(world: World) -> None:
    offered = [one for one in TOOLSETS if AZURE_DEVOPS not in one.needs]
    catalog = Catalog(offered, frozenset(), {"devops": NOT_SET})
    async with asking(world, catalog=catalog) as caller:
        answer = await answered(caller, "what_retires_here")
    assert answer["notConfigured"] == [f"Work items: {NOT_SET}"]
    assert redis_in(answer)
    assert asked_of_devops(world) == []


async def test_where_azure_devops_fails_that_is_named_and_the_rest_is_told(world: World) -> None:
    world.devops.places["/wiql"] = failing(403, "AccessDenied", "TF400813: not for you")
    async with asking(world) as caller:
        answer = await answered(caller, "what_retires_here")
    [failed] = answer["failed"]
    assert failed.startswith("Work items: ")
    assert len(answer["items"]) == 12


async def test_of_more_work_items_than_are_read_the_last_changed_count_and_that_is_said(world: World) -> None:
    first = add_marked_item(world, "old", ChangedDate="2020-01-01T00:00:00Z")
    for number in range(200):
        add_marked_item(world, f"{number}", key="another", ChangedDate="2026-01-01T00:00:00Z")
    async with asking(world) as caller:
        answer = await answered(caller, "what_retires_here")
        assert answer["notRead"] == ["Work items: only the 200 most recently changed work items were read."]
        assert "workItems" not in redis_in(answer)
        world.devops.work_items.latest(first)["fields"]["System.ChangedDate"] = "2026-06-01T00:00:00Z"
        assert redis_in(await answered(caller, "what_retires_here"))["workItems"] == {str(first): "New"}


async def test_many_of_one_retirement_are_counted(world: World) -> None:
    for number in range(13):
        add_marked_item(world, f"{number}")
    async with asking(world) as caller:
        redis = redis_in(await answered(caller, "what_retires_here"))
    assert (len(redis["workItems"]), redis["moreWorkItems"]) == (10, 3)


@Sweep("title", HOSTILE_TITLES, every=4)
async def test_no_title_is_repeated_and_a_state_is_cut(world: World, title: str) -> None:
    number = add_marked_item(world, title)
    world.devops.work_items.latest(number)["fields"]["System.State"] = title * 3
    async with asking(world) as caller:
        redis = redis_in(await answered(caller, "what_retires_here"))
    assert list(redis["workItems"]) == [str(number)]
    assert len(redis["workItems"][str(number)]) <= 40


@pytest.mark.parametrize("description", ["", "<p>About 499577</p>", f"{TAG} 0 of {REDIS}", "x" * 100_000])
async def test_what_has_the_tag_and_no_mark_is_somebodys_own(world: World, description: str) -> None:
    world.devops.work_items.add(PROJECT, "Task", "Ours", Tags=TAG, Description=description)
    async with asking(world) as caller:
        answer = await answered(caller, "what_retires_here")
    assert not [one for one in answer["items"] if "workItems" in one]


async def test_work_items_out_of_the_callers_reach_are_not_told(world: World) -> None:
    add_marked_item(world, "out of reach")
    mine = add_marked_item(world, "mine", project="Shop floor")
    own = Grants.of([*READS, ("devops-work-items", Access.READ)])
    reach = DevOpsReach.within(ReachLock(None, frozenset({"Shop floor"})))
    async with asking(world, grants=replace(own, shares=frozenset({(own, reach)}))) as caller:
        assert redis_in(await answered(caller, "what_retires_here"))["workItems"] == {str(mine): "New"}
