"""Work items for what retires, followed through a slip, an edit, a withdrawal and the end of the last resource."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.retirements import announcement, retirements
from tests.tools.azure.inventing import answered
from tests.tools.retirements.world import CACHE, CLUSTER, PROJECT, World, asking, items_of, plan

pytestmark = pytest.mark.anyio


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def told(update: str) -> dict[str, object]:
    return next(one for one in retirements() if one["update"] == update)


async def test_there_is_one_work_item_for_each_retirement_and_owner(world: World) -> None:
    async with asking(world) as caller:
        done = await plan(caller)
    items = items_of(world)
    assert len(done["created"]) == len(items) == 12
    redis = items["Retirement 2028-09-30: Azure Cache for Redis is retiring on September 30, 2028 (shop)"]
    assert redis["System.AreaPath"] == "Web\\Shop"
    assert redis["System.Tags"] == "azure-retirement"
    assert CACHE in redis["System.Description"]
    assert "Move to Azure Managed Redis." in redis["System.Description"]
    assert "https://azure.microsoft.com/updates?id=499577" in redis["System.Description"]


async def test_running_it_twice_makes_them_once(world: World) -> None:
    async with asking(world) as caller:
        await plan(caller)
        again = await plan(caller)
        other = await plan(caller, areaPath="Web")
    assert again["unchanged"] == other["unchanged"] == "Every work item is up to date."
    assert len(items_of(world)) == 12


async def test_a_date_that_slips_is_told_in_title_text_and_comment(world: World) -> None:
    async with asking(world) as caller:
        await plan(caller)
        later = told("559395") | {"due": "2027-09"}
        world.feed.records["559395"] = announcement(later)
        await world.sync()
        done = await plan(caller)
    [number] = done["updated"]
    fields = world.devops.work_items.latest(number)["fields"]
    assert fields["System.Title"].startswith("Retirement 2027-09: Azure Managed Grafana")
    assert "The date moved from 2027-03-30 to 2027-09." in fields["System.History"]
    assert "<b>2027-09</b>" in fields["System.Description"]


async def test_an_edit_is_told_and_a_title_that_somebody_wrote_stays(world: World) -> None:
    async with asking(world) as caller:
        await plan(caller)
        [number] = [key for key, one in world.items.items() if "499577" in one["System.Description"]]
        world.devops.work_items.latest(number)["fields"]["System.Title"] = "Our own words"
        world.feed.records["499577"]["description"] = "<p>It retires on September 30, 2028, in all regions.</p>"
        await world.sync()
        done = await plan(caller)
        assert done["updated"] == [number]
        assert "unchanged" in await plan(caller)
    fields = world.devops.work_items.latest(number)["fields"]
    assert (fields["System.Title"], fields["System.History"]) == (
        "Our own words",
        "Microsoft edited the announcement.",
    )


async def test_a_withdrawal_is_told_once_and_nothing_is_closed(world: World) -> None:
    async with asking(world) as caller:
        await plan(caller)
        gone = world.feed.records.pop("499577")
        await world.sync()
        done = await plan(caller)
        assert "unchanged" in await plan(caller)
        [number] = done["updated"]
        fields = world.devops.work_items.latest(number)["fields"]
        assert "withdrew" in fields["System.History"]
        assert fields["System.State"] == "New"
        world.feed.records["499577"] = gone
        await world.sync()
        assert (await plan(caller))["updated"] == [number]
        assert "announced the retirement again" in world.devops.work_items.latest(number)["fields"]["System.History"]


async def test_a_resource_that_is_gone_is_told_and_the_last_one_closes_the_work_item(world: World) -> None:
    async with asking(world) as caller:
        await plan(caller)
        world.azure.estate.remove(CLUSTER)
        done = await plan(caller)
        assert len(done["closed"]) == 2
        for number in done["closed"]:
            fields = world.devops.work_items.latest(number)["fields"]
            assert fields["System.State"] == "Closed"
            assert "oven-lab no longer exists. No affected resources are left." in fields["System.History"]
        assert "unchanged" in await plan(caller)


async def test_a_resource_that_was_mended_closes_it_and_one_that_is_affected_again_opens_it(world: World) -> None:
    async with asking(world) as caller:
        await plan(caller)
        cluster = world.azure.estate.resources[CLUSTER.lower()]
        cluster.properties["networkProfile"]["networkPolicy"] = "cilium"
        [number] = (await plan(caller))["closed"]
        assert "is no longer affected" in world.devops.work_items.latest(number)["fields"]["System.History"]
        cluster.properties["networkProfile"]["networkPolicy"] = "azure"
        assert (await plan(caller))["reopened"] == [number]
        assert world.devops.work_items.latest(number)["fields"]["System.State"] == "New"


async def test_what_a_person_closed_stays_closed(world: World) -> None:
    async with asking(world) as caller:
        await plan(caller)
        number = next(iter(world.items))
        world.devops.work_items.latest(number)["fields"]["System.State"] = "Closed"
        assert "unchanged" in await plan(caller)
    assert world.devops.work_items.latest(number)["fields"]["System.State"] == "Closed"


async def test_where_a_source_fails_nothing_that_is_there_is_taken_away(world: World) -> None:
    async with asking(world) as caller:
        await plan(caller)
        world.azure.graph.quota = 0
        answer = await plan(caller)
    assert "unchanged" in answer
    assert any("Resource Graph" in note for note in answer["notes"])


async def test_the_preview_names_every_work_item_and_changes_nothing(world: World) -> None:
    async with asking(world, asks=True) as caller:
        shown = await caller.told("plan_retirements", project=PROJECT, areaPath="Web\\Shop")
    assert "Azure Cache for Redis" in shown
    assert items_of(world) == {}


async def test_another_owner_takes_over_what_moved(world: World) -> None:
    async with asking(world) as caller:
        await plan(caller)
        world.azure.estate.resources[CACHE.lower()].document["tags"] = {"owner": "oven"}
        done = await plan(caller)
        assert (len(done["created"]), len(done["closed"])) == (1, 1)
        closed = world.devops.work_items.latest(done["closed"][0])["fields"]
        assert "shop-cache belongs to another owner" in closed["System.History"]


async def test_hostile_names_are_no_markup(world: World) -> None:
    world.azure.estate.resources[CACHE.lower()].document["tags"] = {"owner": "<script>alert(1)</script>"}
    async with asking(world) as caller:
        await plan(caller)
        assert "unchanged" in await plan(caller)
    assert all("<script" not in one["System.Description"] for one in world.items.values())


async def test_what_the_plan_says_of_it_is_what_the_look_says(world: World) -> None:
    async with asking(world) as caller:
        looked = await answered(caller, "what_retires_here", scope="Bakery Development")
        done = await plan(caller, scope="Bakery Development")
    assert len(looked["items"]) == len(done["created"]) == 1


async def test_without_the_permission_nobody_is_asked_and_nothing_is_made(world: World) -> None:
    world.devops.permissions.denies = lambda _: True
    async with asking(world, asks=True) as caller:
        shown = await caller.told("plan_retirements", project=PROJECT, areaPath="Web\\Hall")
    assert "You do not have permission" in shown
    assert items_of(world) == {}
