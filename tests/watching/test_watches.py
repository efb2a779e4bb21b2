"""Watches while they live: created, changed, renewed, expired, deleted; and their feeds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from refusal import Refusal
from tests.sweeps import Sweep
from tests.watching.place import ATOM, HOSTILE, Bureau, lamp, opened
from updates.searching.search import SearchFilters
from watching.delivery import WatchDeliveryState
from watching.watch import WatchPace
from watching.watches import MOST_OF_A_TENANT, NamedAddress

pytestmark = pytest.mark.anyio

DAY = 86400


async def entries(place: Bureau) -> list[ET.Element]:
    content = await place.watches.feed(place.token)
    assert content is not None
    return ET.fromstring(content).findall("a:entry", ATOM)  # noqa: S314 - what was just written


async def test_a_watch_expires_after_a_warning_and_goes_on_when_it_is_renewed(tmp_path: Path) -> None:
    async with opened(tmp_path) as place:
        await place.created()
        await place.after(82 * DAY)
        await place.round()
        assert place.heard == []
        await place.after(2 * DAY)
        for _ in range(3):
            await place.round()
        (warning,) = place.bodies
        assert warning["type"] == "watch.expiring"
        assert "renew_watch" in warning["data"]["to_keep_it"]
        await place.watches.renew(await place.watch())
        await place.after(20 * DAY)
        await place.syncs(lamp(7))
        await place.round()
        assert [change["id"] for change in place.changes] == ["100007"]


async def test_an_expired_watch_sends_nothing_and_begins_anew_when_it_is_renewed(tmp_path: Path) -> None:
    async with opened(tmp_path) as place:
        await place.created()
        await place.after(91 * DAY)
        await place.syncs(lamp(7))
        await place.round()
        assert place.heard == []
        await place.watches.renew(await place.watch())
        await place.round()
        assert place.heard == []
        await place.syncs(lamp(8))
        await place.round()
        assert [change["id"] for change in place.changes] == ["100008"]


async def test_what_expired_long_ago_is_forgotten_and_so_are_old_notices(tmp_path: Path) -> None:
    async with opened(tmp_path) as place:
        kept = await place.created("kept")
        await place.created("gone")
        await place.syncs(lamp(7))
        await place.round()
        await place.after(80 * DAY)
        await place.watches.renew(await place.watch("kept"))
        await place.after(45 * DAY)
        await place.watches.store.forget(place.now)
        assert [watch.name for watch in await place.watches.all_of("home")] == ["kept"]
        assert await place.watches.notices(kept) == []


async def test_a_feed_has_each_change_once_for_whoever_has_its_address(tmp_path: Path) -> None:
    async with opened(tmp_path) as place:
        await place.created(to="feed")
        await place.syncs(lamp(7), lamp(8))
        await place.round()
        await place.round()
        found = await entries(place)
        assert [one.findtext("a:title", namespaces=ATOM) for one in found] == [
            "Retirement: Lamp 7 retires",
            "Retirement: Lamp 8 retires",
        ]
        assert len({one.findtext("a:id", namespaces=ATOM) for one in found}) == 2
        content = found[0].findtext("a:content", namespaces=ATOM) or ""
        assert "What: New" in content
        assert "Dates: Retirement 2027-03" in content
        assert place.heard == []


async def test_no_text_is_markup_in_a_feed(tmp_path: Path) -> None:
    async with opened(tmp_path) as place:
        await place.created(to="feed")
        await place.syncs(lamp(7, title=HOSTILE, description=f"<![CDATA[{HOSTILE}]]>"))
        await place.syncs(lamp(7, title=f"{HOSTILE}\ufffe", status=HOSTILE))
        await place.round()
        found = await entries(place)
        assert len(found) == 2
        for one in found:
            title, content = (one.find(f"a:{name}", ATOM) for name in ("title", "content"))
            assert title is not None
            assert content is not None
            assert title.attrib == content.attrib == {"type": "text"}
            assert [*title] == [*content] == []
            assert "<script>" in (title.text or "")
            assert "\u202e" not in (title.text or "") + (content.text or "")


async def test_only_the_whole_address_of_a_feed_opens_it(tmp_path: Path) -> None:
    async with opened(tmp_path) as place:
        watch = await place.created(to="feed")
        for token in (
            "",
            place.token[:-1],
            f"{place.token}x",
            watch.id,
            watch.destination.feed,
            "home.lamps",
            "é",
            "~",
        ):
            assert await place.watches.feed(token) is None
        assert await place.watches.feed(place.token)


async def test_a_feed_ends_with_its_address_its_watch_and_its_time(tmp_path: Path) -> None:
    async with opened(tmp_path) as place:
        watch, first = await place.created(to="feed"), place.token
        _, second = await place.watches.update(watch, watch, None, has_new_feed=True)
        assert await place.watches.feed(first) is None
        assert await place.watches.feed(second)
        await place.after(91 * DAY)
        assert await place.watches.feed(second) is None
        await place.watches.renew(await place.watch())
        assert await place.watches.feed(second)
        await place.watches.delete(await place.watch())
        assert await place.watches.feed(second) is None


async def test_a_deleted_watch_leaves_nothing_behind_and_what_was_under_way_is_not_sent(tmp_path: Path) -> None:
    async with opened(tmp_path) as place:
        await place.created()
        await place.syncs(lamp(7))
        await place.process.round()
        await place.watches.delete(await place.watch())
        await place.after(DAY)
        assert place.heard == []
        assert b"100007" not in (tmp_path / "watches" / "storage.sqlite").read_bytes()
        assert (await place.watches.health())["watches"] == 0


async def test_what_another_search_finds_at_first_is_no_news(tmp_path: Path) -> None:
    async with opened(tmp_path, records=[lamp(9, products=["Candles"])]) as place:
        watch = await place.created()
        await place.watches.update(watch, replace(watch, filters=SearchFilters(products=("Candles",))), None)
        await place.round()
        assert place.heard == []
        await place.syncs(lamp(10, products=["Candles"]), lamp(11))
        await place.round()
        assert [change["id"] for change in place.changes] == ["100010"]


async def test_what_changed_since_the_last_notice_is_news_of_another_search(tmp_path: Path) -> None:
    async with opened(tmp_path, records=[lamp(9, products=["Candles"])]) as place:
        watch = await place.created(pace=WatchPace.DAILY)
        await place.syncs(lamp(10, products=["Candles"]))
        await place.watches.update(watch, replace(watch, filters=SearchFilters(products=("Candles",))), None)
        await place.after(DAY)
        await place.round()
        assert [change["id"] for change in place.changes] == ["100010"]


async def test_there_is_one_watch_of_a_name_and_a_hundred_of_a_tenant(tmp_path: Path) -> None:
    async with opened(tmp_path) as place:
        await place.created("n0", "feed")
        with pytest.raises(Refusal, match="already exists"):
            await place.created("n0", "feed")
        for number in range(1, MOST_OF_A_TENANT):
            await place.created(f"n{number}", "feed")
        with pytest.raises(Refusal, match="100 watches"):
            await place.created("one-more", "feed")


@Sweep("name", ["", "Upper", "a b", "-a", "a-", "a" * 49, "ä", "a/b", "a\n", "..", "a.b"], every=3)
async def test_a_name_that_could_be_anything_else_is_refused(tmp_path: Path, name: str) -> None:
    async with opened(tmp_path) as place:
        with pytest.raises(Refusal, match="`name` must be"):
            await place.created(name, "feed")


async def test_a_filter_that_does_not_exist_is_refused_with_those_that_do(tmp_path: Path) -> None:
    async with opened(tmp_path) as place:
        with pytest.raises(Refusal, match="No product is called 'Lanps'"):
            await place.created(filters=SearchFilters(products=("Lanps",)))
        assert await place.watches.all_of("home") == []


async def test_of_two_who_change_a_watch_one_is_told(tmp_path: Path) -> None:
    async with opened(tmp_path) as place:
        watch = await place.created()
        await place.watches.update(watch, replace(watch, pace=WatchPace.DAILY), None)
        with pytest.raises(Refusal, match="was changed at the same time"):
            await place.watches.update(watch, replace(watch, pace=WatchPace.WEEKLY), None)
        assert (await place.watch()).pace is WatchPace.DAILY


async def test_where_addresses_cannot_be_sealed_places_and_feeds_still_work(tmp_path: Path) -> None:
    async with opened(tmp_path) as place:
        without = replace(place.watches, destinations=replace(place.watches.destinations, keys=()))
        with pytest.raises(Refusal, match="MCP_REQUEST_STATE_KEY"):
            without.destination("w", "teams", NamedAddress("https://hooks.slack.com/x"))
        assert without.destination("w", "ops", NamedAddress()).to == "ops"
        assert without.destination("w", "feed", NamedAddress()).to == "feed"


async def test_a_feed_is_read_and_not_tested(tmp_path: Path) -> None:
    async with opened(tmp_path) as place:
        watch = await place.created(to="feed")
        with pytest.raises(Refusal, match="A feed sends no notices"):
            await place.watches.send_test(watch)
        assert WatchDeliveryState.SET_ASIDE not in {one.state for one in await place.watches.notices(watch)}


async def test_health_says_that_the_storage_is_away(tmp_path: Path) -> None:
    async with opened(tmp_path) as place:
        (tmp_path / "watches").write_text("no folder", encoding="utf-8")
        health = await place.watches.health()
        assert health["status"] == "unavailable"
