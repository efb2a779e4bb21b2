"""What is new to a watch: additions, edits, slipped dates and withdrawals, each once, and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.watching.place import Bureau, lamp, opened, slipped
from updates.searching.search import SearchFilters
from watching.watch import WatchPace

pytestmark = pytest.mark.anyio


def facts(place: Bureau) -> list[dict[str, str]]:
    """What cards in Teams say, by the names of their facts."""
    cards = [body["attachments"][0]["content"]["body"] for body in place.bodies]
    items = [part["items"] for card in cards for part in card if part["type"] == "Container"]
    return [{one["inlines"][0]["text"]: one["inlines"][-1]["text"] for one in rows[1:]} for rows in items]


async def test_what_was_there_before_is_no_news(tmp_path: Path) -> None:
    async with opened(tmp_path) as place:
        await place.created()
        await place.round()
        await place.syncs()
        await place.round()
        assert place.heard == []


async def test_what_is_added_is_sent_once(tmp_path: Path) -> None:
    async with opened(tmp_path) as place:
        await place.created()
        await place.syncs(lamp(7))
        for _ in range(3):
            await place.round()
        (change,) = place.changes
        assert (change["id"], change["change"], change["title"]) == ("100007", "added", "Retirement: Lamp 7 retires")
        assert change["url"] == "https://azure.microsoft.com/updates?id=100007"


async def test_what_the_search_does_not_find_is_no_news(tmp_path: Path) -> None:
    async with opened(tmp_path) as place:
        await place.created()
        await place.syncs(lamp(7, products=["Batteries"]))
        await place.round()
        assert place.heard == []


async def test_a_slipped_date_says_by_how_much(tmp_path: Path) -> None:
    async with opened(tmp_path) as place:
        await place.created(to="teams")
        await place.syncs(slipped(1, 2027, "September"), slipped(2, 2026, "December"))
        await place.round()
        assert [one["Dates: "] for one in facts(place)] == [
            "Retirement 2027-03 → Retirement 2027-09 (6 months later)",
            "Retirement 2027-03 → Retirement 2026-12 (3 months earlier)",
        ]


async def test_an_edit_says_before_and_after(tmp_path: Path) -> None:
    async with opened(tmp_path) as place:
        await place.created(to="teams")
        await place.syncs(lamp(1, title="Retirement: Lamp One retires", tags=[], description="<p>Now <b>text</b>.</p>"))
        await place.round()
        (told,) = facts(place)
        assert told["Title: "] == "Retirement: Lamp 1 retires → Retirement: Lamp One retires"
        assert told["Tags: "] == "Retirements → nothing"
        assert told["Text: "] == "Machine 1 can be tried. → Now text."


async def test_a_long_text_is_told_in_two_lines_around_what_differs(tmp_path: Path) -> None:
    def text(words: str) -> dict[str, Any]:
        return {"description": f"<p>{'Lamps. ' * 200}They {words} soon. {'Buy LEDs. ' * 200}</p>"}

    async with opened(tmp_path, records=[lamp(9, **text(f"retire {'perhaps ' * 20}"))]) as place:
        await place.created(to="teams")
        await place.syncs(lamp(9, **text(f"expire {'certainly ' * 15}")))
        await place.round()
        (told,) = facts(place)
        assert "They retire perhaps" in told["Text before: "]
        assert "They expire certainly" in told["Text after: "]
        assert max(map(len, told.values())) <= 300


async def test_an_edit_that_nobody_sees_is_no_news(tmp_path: Path) -> None:
    async with opened(tmp_path) as place:
        await place.created()
        await place.syncs(
            lamp(1, modified="2026-06-01T12:00:00.1234567Z"),
            lamp(2, description="<div><p>Machine <i>2</i> can be tried.</p></div>"),
        )
        await place.round()
        assert place.heard == []


async def test_what_slips_out_of_the_search_is_news_once(tmp_path: Path) -> None:
    async with opened(tmp_path) as place:
        soon = SearchFilters(availability_ring="Retirement", date_to="2027-06")
        await place.created(filters=soon)
        await place.syncs(slipped(1, 2028, "June"))
        await place.round()
        await place.syncs(slipped(1, 2028, "July"))
        await place.round()
        assert [change["edits"][0]["after"] for change in place.changes] == [["Retirement 2028-06"]]


async def test_what_comes_into_the_search_by_an_edit_is_news(tmp_path: Path) -> None:
    async with opened(tmp_path) as place:
        await place.created(filters=SearchFilters(tags=("Retirements",), products=("Lamps",)))
        await place.syncs(lamp(7, tags=[]))
        await place.round()
        assert place.heard == []
        await place.syncs(lamp(7))
        await place.round()
        assert [change["change"] for change in place.changes] == ["edited"]


async def test_a_withdrawal_and_a_return_are_news(tmp_path: Path) -> None:
    async with opened(tmp_path, records=[lamp(number) for number in range(20, 60)]) as place:
        await place.created()
        await place.syncs(gone=["100001"])
        await place.round()
        await place.syncs(lamp(1))
        await place.round()
        assert [change["change"] for change in place.changes] == ["withdrawn", "restored"]


async def test_a_text_query_does_not_send_what_only_shares_a_word(tmp_path: Path) -> None:
    async with opened(tmp_path, records=[lamp(9, title="Retirement: Solar lamps on balconies retire")]) as place:
        await place.created(filters=SearchFilters(), query="solar lamps balconies")
        await place.syncs(lamp(10, title="Public Preview: Solar ovens"))
        await place.round()
        assert place.heard == []
        await place.syncs(lamp(11, title="Public Preview: Solar lamps for balconies"))
        await place.round()
        assert [change["id"] for change in place.changes] == ["100011"]


async def test_many_changes_that_are_alike_are_told_in_one_piece(tmp_path: Path) -> None:
    async with opened(tmp_path, records=[lamp(number) for number in range(20, 60)]) as place:
        await place.created(to="teams", filters=SearchFilters(tags=("Retirements",)))
        await place.syncs(*(lamp(number, products=["Lights"]) for number in range(20, 60)))
        await place.round()
        (told,) = facts(place)
        assert told["Products: "] == "Lamps → Lights"
        assert told["Updates: "].endswith("; and 35 more")


async def test_a_flood_is_sent_in_parts_without_losing_any(tmp_path: Path) -> None:
    async with opened(tmp_path) as place:
        await place.created()
        await place.syncs(*(lamp(number) for number in range(100, 430)))
        for _ in range(4):
            await place.round()
        assert sorted(change["id"] for change in place.changes) == [f"{100_000 + n}" for n in range(100, 430)]
        assert all(len(body["data"]["changes"]) <= 10 for body in place.bodies)


async def test_digests_are_sent_in_the_morning_and_on_mondays(tmp_path: Path) -> None:
    async with opened(tmp_path) as place:
        await place.created("daily", pace=WatchPace.DAILY)
        await place.created("weekly", pace=WatchPace.WEEKLY)
        await place.syncs(lamp(7))
        await place.round()
        assert place.heard == []
        await place.after(17 * 3600)
        await place.round()
        await place.syncs(lamp(8))
        await place.after(3600)
        await place.round()
        assert [body["data"]["watch"] for body in place.bodies] == ["daily"]
        await place.syncs(lamp(9))
        await place.after(30 * 3600)
        await place.round()
        told = sorted((body["data"]["watch"], len(body["data"]["changes"])) for body in place.bodies[1:])
        assert told == [("daily", 1), ("weekly", 3)]


async def test_a_search_that_makes_no_sense_any_more_is_told_once(tmp_path: Path) -> None:
    async with opened(tmp_path, records=[lamp(9, products=["Candles"])]) as place:
        await place.created(filters=SearchFilters(products=("Candles",)))
        await place.syncs(lamp(9, products=["Wax"]))
        for _ in range(2):
            await place.round()
        (body,) = place.bodies
        assert body["type"] == "watch.trouble"
        assert "No product is called 'Candles'" in body["data"]["why"]
        assert (await place.watches.health())["status"] == "failing"
