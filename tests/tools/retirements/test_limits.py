"""Who may see what of retirements, and that no answer is too large."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path

import pytest

from identity.access import Access
from identity.grants import Grants
from tests.fakes.azure.estate import Resource
from tests.fakes.azure.people import READER
from tests.fakes.azure.world import OVEN
from tests.fakes.retirements import announcement, retirements
from tests.tools.azure.inventing import answered, refused
from tests.tools.retirements.world import CACHE, World, asking, items_of, plan, retiring

pytestmark = pytest.mark.anyio


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


async def test_a_source_whose_tool_is_closed_is_not_read_and_named(world: World) -> None:
    only = Grants.of([("retirements", Access.READ), ("azure-updates", Access.READ), ("resource", Access.READ)])
    async with asking(world, grants=only) as caller:
        found = await answered(caller, "what_retires_here")
    assert found["notGranted"] == ["Advisor", "Service Health", "Work items"]
    assert not [one for one in world.azure.asked if "advisorresources" in str(one.body)]
    sources = {name for one in found["items"] for each in one["affects"] for name in each["source"]}
    assert sources == {"Resource Graph"}


async def test_without_the_updates_advisor_is_still_told(world: World) -> None:
    only = Grants.of([("retirements", Access.READ), ("advisor", Access.READ)])
    async with asking(world, grants=only) as caller:
        found = await answered(caller, "what_retires_here")
    assert {name for one in found["items"] for each in one["affects"] for name in each["source"]} == {"Advisor"}
    assert all(one["announced"] == "No announcement found." for one in found["items"])


async def test_without_any_code_to_search_that_is_said(world: World) -> None:
    only = Grants.of([("retirements", Access.READ), ("azure-updates", Access.READ)])
    async with asking(world, grants=only) as caller:
        assert "your roles do not allow search_code" in await refused(caller, "find_in_code", update="557852")


async def test_a_thousand_affected_resources_are_counted_and_the_answer_stays_short(world: World) -> None:
    estate = world.azure.estate
    known = estate.resources[CACHE.lower()]
    for number in range(1000):
        document = deepcopy(known.document) | {"id": f"{CACHE}-{number}", "name": f"shop-cache-{number}"}
        estate.add(Resource(document, known.created, known.changed))
    async with asking(world) as caller:
        found = await answered(caller, "what_retires_here")
        redis = retiring(found, "499577")
        assert redis
        [one] = redis["affects"]
        assert (len(one["resources"]), one["moreResources"]) == (10, 991)
        await plan(caller)
        assert "unchanged" in await plan(caller)
    told = [one["System.Description"] for one in items_of(world).values()]
    [text] = [one for one in told if "shop-cache-1 " in one]
    assert len(text) < 60_000


async def test_hundreds_of_retirements_are_cut_and_said_to_be(world: World) -> None:
    for number in range(150):
        told = retirements()[0] | {"update": f"9{number:05}", "due": f"2029-{number % 12 + 1:02}"}
        world.feed.records[told["update"]] = announcement(told)
    async with asking(world) as caller:
        found = await answered(caller, "what_retires_here", max_results=5)
    assert (found["count"], "max_results" in found["more"]) == (5, True)


async def test_a_caller_who_sees_less_takes_nothing_away(world: World) -> None:
    async with asking(world) as caller:
        await plan(caller)
    before = {title: one["System.Description"] for title, one in items_of(world).items()}
    async with asking(world, READER) as caller:
        await plan(caller)
    after = {title: one["System.Description"] for title, one in items_of(world).items()}
    assert {title: after[title] for title in before} == before
    assert OVEN in str(after)
