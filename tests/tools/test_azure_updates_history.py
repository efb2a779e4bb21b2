"""What happened to updates, as a client asks for it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest

from tests.tools.updates_office import RETIREMENT, UPDATES, Office, office
from tests.updates.syncing import record

TODAY: Final = f"{datetime.now(UTC):%Y-%m-%d}"
TOMORROW: Final = f"{datetime.now(UTC) + timedelta(days=1):%Y-%m-%d}"
LAMP: Final = "100002"


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Office]:
    more = [record(number) for number in range(10, 60)]
    async with office(tmp_path, [*UPDATES, *more]) as opened:
        yield opened


async def changed(place: Office, **fields: Any) -> None:
    """Edit the lamp in the feed without a word in `modified`, and compare everything."""
    place.api.records[LAMP] = {**place.api.records[LAMP], **fields}
    await place.full_sync()


async def test_an_update_tells_its_edits_newest_first(place: Office) -> None:
    assert "history" not in await place.search(id=LAMP)
    await changed(place, availabilities=[{**RETIREMENT, "month": "September"}])
    await changed(place, title="Retirement: The old lamp service retires in September 2027")
    titles, dates = (await place.search(id=LAMP))["history"]
    assert (titles["change"], titles["seen"][:10]) == ("edited", TODAY)
    assert dates["edits"] == [
        {"field": "availabilities", "before": ["Retirement 2027-03"], "after": ["Retirement 2027-09"]}
    ]


async def test_one_call_tells_whether_a_date_moved_since_a_day(place: Office) -> None:
    asked = {"query": "old lamp", "filters": {"changedSince": TODAY}}
    assert (await place.search(**asked))["total"] == 0
    await changed(place, availabilities=[{**RETIREMENT, "month": "September"}])
    (found,) = (await place.search(**asked))["results"]
    assert found["changes"][0]["edits"][0]["after"] == ["Retirement 2027-09"]
    assert await place.ids(filters={"changedSince": TOMORROW}) == []


async def test_what_was_withdrawn_is_found_among_what_changed_and_nowhere_else(place: Office) -> None:
    del place.api.records[LAMP]
    await place.full_sync()
    assert await place.ids(query="old lamp") == ["100003"]
    found = (await place.search(filters={"changedSince": TODAY}, detail="brief"))["results"]
    assert [(one["id"], one["withdrawn"], one["changes"][0]["change"]) for one in found] == [(LAMP, TODAY, "withdrawn")]
    facets = (await place.search(facets=True))["facets"]
    assert "Retirement" not in facets["availabilityRing"]


async def test_what_is_added_later_has_changed_and_what_was_there_first_has_not(place: Office) -> None:
    place.api.records["100099"] = record(99)
    await place.caller.call("refresh_azure_updates")
    assert await place.ids(filters={"changedSince": TODAY}) == ["100099"]
    assert [one["change"] for one in (await place.search(id="100099"))["history"]] == ["added"]


async def test_of_a_long_text_only_what_differs_is_told(place: Office) -> None:
    words = "The lamps go on and on. " * 100
    await changed(place, description=words + "They end in March." + words)
    await changed(place, description=words + "They end in May." + words)
    (edit,) = (await place.search(id=LAMP))["history"][0]["edits"]
    assert "end in March." in edit["before"]
    assert "end in May." in edit["after"]
    assert max(map(len, (edit["before"], edit["after"]))) < 320


async def test_history_is_bounded(place: Office) -> None:
    for number in range(25):
        await changed(place, status=f"Status {number}")
    history = (await place.search(id=LAMP))["history"]
    assert len(history) == 20
    assert history[0]["edits"][0]["after"] == "Status 24"


async def test_a_brief_list_has_id_title_dates_and_status_alone(place: Office) -> None:
    found = (await place.search(query="lamp", detail="brief"))["results"]
    assert sorted(found, key=lambda one: one["id"]) == [
        {
            "id": "100002",
            "title": "Retirement: The old lamp service retires in March 2027",
            "dates": "Retirement 2027-03",
        },
        {
            "id": "100003",
            "title": "Generally Available: Brighter lamps",
            "dates": "General Availability 2026-05",
        },
    ]


@pytest.mark.parametrize(
    ("arguments", "instead"),
    [
        ({"query": '"lamp old"'}, {"without the query": 54, "without the quotes": 1}),
        ({"query": "lamp -lamp"}, {"without the query": 52, "without the exclusions": 2}),
        (
            {"query": "lamp", "filters": {"productCategories": ["Compute"]}},
            {"without the query": 51, "without productCategories": 2},
        ),
        (
            {"filters": {"products": ["Lamps"], "dateTo": "2020-01"}},
            {"without dateTo": 2},
        ),
        (
            {"query": '"brighter lamps" "solar panels"'},
            {
                "without the query": 54,
                'without "brighter lamps"': 1,
                'without "solar panels"': 1,
                "without the quotes": 2,
            },
        ),
        (
            {"filters": {"products": ["Lamps", "Azure Sunshine"]}},
            {"without products": 54, "without products 'Azure Sunshine'": 2, "without products 'Lamps'": 1},
        ),
        (
            {"query": "lamp", "filters": {"productCategories": ["Compute"], "dateTo": "2020-01"}},
            {"without any filter": 2},
        ),
    ],
)
async def test_nothing_found_says_what_would_find_something(
    place: Office, arguments: dict[str, Any], instead: dict[str, int]
) -> None:
    answer = await place.search(**arguments)
    assert (answer["total"], answer["instead"]) == (0, instead)
    assert list(answer["instead"].values()) == sorted(answer["instead"].values(), reverse=True)
