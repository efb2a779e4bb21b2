"""What retires of the bakery, by ten real retirements."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.azure.people import NOBODY, READER
from tests.fakes.retirements import retirements
from tests.tools.azure.inventing import answered, refused
from tests.tools.retirements.world import World, asking, retiring

pytestmark = pytest.mark.anyio


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


async def test_every_one_of_ten_real_retirements_finds_what_it_affects(world: World) -> None:
    async with asking(world) as caller:
        answer = await answered(caller, "what_retires_here", max_results=100)
    for told in retirements():
        found = retiring(answer, told["update"])
        assert found is not None, told["title"]
        assert found["on"] == str(told["due"]), told["title"]
        names = [one.partition("/")[2] for one in told.get("there", ())]
        wanted = {*names, *(one["name"] for one in told.get("new", ()))}
        ids = [one for each in found["affects"] for one in each["resources"]]
        assert {one.rpartition("/")[2] for one in ids} == wanted, told["title"]


async def test_each_has_an_owner_a_reason_a_source_and_what_to_do(world: World) -> None:
    async with asking(world) as caller:
        answer = await answered(caller, "what_retires_here", max_results=100)
    storage = retiring(answer, "496964")
    assert storage
    assert storage["do"] == "Upgrade the account to general-purpose v2."
    assert storage["past"] is True
    [one] = storage["affects"]
    assert (one["owner"], one["confidence"]) == ("Grace Brewster", "certain")
    assert (one["why"], one["source"]) == ("kind is Storage", ["Resource Graph"])
    tls = retiring(answer, "557852")
    assert tls
    assert "client" in tls["but"]
    [one] = tls["affects"]
    assert (one["owner"], one["confidence"], one["why"]) == ("shop", "likely", "minTlsVersion is 1.0")


async def test_what_only_advisor_knows_is_told_with_its_source(world: World) -> None:
    async with asking(world) as caller:
        answer = await answered(caller, "what_retires_here", max_results=100)
    address = next(one for one in answer["items"] if "public IP" in one["retires"])
    assert (address["on"], address["announced"]) == ("2025-09-30", "No announcement found.")
    assert address["affects"][0]["source"] == ["Advisor"]
    python = next(one for one in answer["items"] if "Python 3.9" in one["retires"])
    assert python["affects"][0]["source"] == ["Advisor", "Service Health"]


async def test_until_and_scope_narrow_it(world: World) -> None:
    async with asking(world) as caller:
        soon = await answered(caller, "what_retires_here", until="2027-03")
        assert {"559395", "558033", "496964"} <= {key for one in soon["items"] for key in one.get("update", ())}
        assert retiring(soon, "557852") is None
        shop = await answered(caller, "what_retires_here", scope="shop-prod")
        assert retiring(shop, "499577")
        assert retiring(shop, "500682") is None
        development = await answered(caller, "what_retires_here", scope="Bakery Development")
        assert [one["update"] for one in development["items"]] == [["500682"]]
        assert "date" in await refused(caller, "what_retires_here", until="soon")
        assert "such a group" not in await refused(caller, "what_retires_here", scope="shop-nowhere")


async def test_only_what_the_caller_may_see_is_told(world: World) -> None:
    async with asking(world, READER) as caller:
        answer = await answered(caller, "what_retires_here", max_results=100)
        told = str(answer)
        assert "shop-cache" in told
        assert "oven" not in told.lower()
    async with asking(world, NOBODY) as caller:
        assert "cannot see any subscription" in await refused(caller, "what_retires_here")


async def test_a_source_that_fails_is_named_and_the_others_are_told(world: World) -> None:
    async with asking(world) as caller:
        world.azure.graph.quota = 0
        answer = await answered(caller, "what_retires_here")
        assert any("Resource Graph" in one for one in answer["failed"])
