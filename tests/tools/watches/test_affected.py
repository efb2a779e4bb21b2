"""Watches of what affects the resources of a team, through a slip, a new announcement and the last resource."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast
from urllib.parse import parse_qs, urlsplit
from xml.etree import ElementTree as ET

import pytest

from tests.fakes.azure.people import READER
from tests.fakes.azure.world import OVEN, PRODUCTION, SHOP
from tests.fakes.retirements import announcement, retirements
from tests.mcp_server.caller import Caller
from tests.tools.retirements.world import World, asking
from tests.watching.place import ATOM

pytestmark = pytest.mark.anyio

DAY = 86400
CLUSTER = f"{OVEN}/providers/Microsoft.ContainerService/managedClusters/oven-lab"


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


async def created(caller: Caller, *affects: str, **more: Any) -> dict[str, Any]:
    result = await caller.call("create_watch", name="ours", to="feed", affects=list(affects or [PRODUCTION]), **more)
    assert not result.get("isError"), result
    return dict(result["structuredContent"])


async def told(world: World, address: str) -> list[tuple[str, str]]:
    """What the feed has after the next day's look: titles and texts."""
    world.now += DAY
    await world.watches.rounds.go(cast("Any", None))
    content = await world.watches.feed(parse_qs(urlsplit(address).query)["watch"][0])
    assert content
    entries = ET.fromstring(content).findall("a:entry", ATOM)  # noqa: S314 - what was just written
    texts = [[one.findtext(f"a:{name}", "", ATOM) for name in ("title", "content")] for one in entries]
    return [(title, text) for title, text in texts]


def retirement(update: str) -> dict[str, Any]:
    return next(one for one in retirements() if one["update"] == update)


async def test_what_retires_already_is_no_news_and_a_slip_is_told_once(world: World) -> None:
    async with asking(world) as caller:
        made = await created(caller)
        assert made["findsNow"] > 5
        assert made["affects"] == [f"/subscriptions/{PRODUCTION}"]
        assert await told(world, made["feed"]) == []
        world.feed.records["559395"] = announcement(retirement("559395") | {"due": "2027-09"})
        await world.sync()
        ((title, text),) = await told(world, made["feed"])
        assert "Grafana" in title
        assert "Date: 2027-03-30 → 2027-09" in text
        assert len(await told(world, made["feed"])) == 1


async def test_the_end_of_the_last_resource_is_told_and_so_is_its_return(world: World) -> None:
    async with asking(world) as caller:
        made = await created(caller)
        cluster = world.azure.estate.resources[CLUSTER.lower()]
        world.azure.estate.remove(CLUSTER)
        gone = await told(world, made["feed"])
        assert gone
        assert all("oven-lab" in text for _, text in gone)
        assert any("No longer affects anything here" in text for _, text in gone)
        world.azure.estate.resources[CLUSTER.lower()] = cluster
        again = (await told(world, made["feed"]))[: -len(gone)]
        assert again
        assert all("oven-lab" in text for _, text in again)


async def test_an_announcement_that_affects_something_is_told(world: World) -> None:
    record = world.feed.records.pop("499577")
    async with asking(world) as caller:
        made = await created(caller)
        world.feed.records["499577"] = record
        await world.sync()
        ((title, text),) = await told(world, made["feed"])
        assert "Azure Cache for Redis" in title
        assert "Retires, and affects 1 resource here" in text
        assert "Resources: shop-cache" in text


async def test_who_may_not_read_a_scope_may_neither_watch_it_nor_move_its_news(world: World) -> None:
    """The reader sees one group of the subscription, and so the subscription, too."""
    async with asking(world) as caller:
        await created(caller)
    async with asking(world, READER) as caller:
        for affects in ([PRODUCTION], [OVEN], [SHOP, PRODUCTION]):
            assert await caller.told("create_watch", name="x", to="feed", affects=affects)
        assert "requires the role Reader" in await caller.told(
            "create_watch", name="x", to="feed", affects=[PRODUCTION]
        )
        assert "requires the role Reader" in await caller.told("update_watch", name="ours", new_feed_address=True)
        result = await caller.call("create_watch", name="shop", to="feed", affects=[SHOP])
        assert not result["isError"], result


async def test_a_scope_that_the_operator_did_not_list_is_not_watched(world: World) -> None:
    world.scopes_of_work = (SHOP,)
    async with asking(world) as caller:
        assert "TASKS_SCOPES" in await caller.told("create_watch", name="x", to="feed", affects=[PRODUCTION])
        made = await created(caller, SHOP)
        assert [one.lower() for one in made["affects"]] == [SHOP.lower()]


async def test_a_scope_that_is_not_listed_any_more_makes_the_watch_fail_and_say_so(world: World) -> None:
    async with asking(world) as caller:
        await created(caller)
    world.scopes_of_work = ()
    async with asking(world) as caller:
        world.now += DAY
        await world.watches.rounds.go(cast("Any", None))
        shown = (await caller.call("show_watch", name="ours"))["structuredContent"]
        assert shown["state"] == "failing"
        assert "TASKS_SCOPES" in shown["why"]


async def test_a_source_that_fails_makes_nothing_go_away(world: World) -> None:
    async with asking(world) as caller:
        made = await created(caller)
        world.azure.estate.remove(CLUSTER)
        access = world.watches.rounds.subject_of(await world.watches.named("", "ours"))
        whole = access.assess  # type: ignore[attr-defined]

        async def partly(scopes: Any) -> Any:
            found = await whole(scopes)
            found.failed["Advisor"] = "It does not answer."
            return found

        object.__setattr__(access, "assess", partly)
        assert await told(world, made["feed"]) == []
        object.__setattr__(access, "assess", whole)
        assert all("oven-lab" in text for _, text in await told(world, made["feed"]))


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"query": "lamps"}, "either `affects` or a search"),
        ({"filters": {"products": ["AKS"]}}, "either `affects` or a search"),
        ({"when": "immediately"}, "daily or weekly"),
    ],
)
async def test_a_watch_is_of_one_kind(world: World, more: dict[str, Any], why: str) -> None:
    async with asking(world) as caller:
        assert why in await caller.told("create_watch", name="x", to="feed", affects=[PRODUCTION], **more)
