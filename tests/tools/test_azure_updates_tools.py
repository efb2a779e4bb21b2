"""The updates toolset as a client sees it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.mcp_server.caller import Caller
from tests.sweeps import Sweep
from tests.tools.updates_office import UPDATES, Office, office
from tests.updates.syncing import record
from updates.showing.guide import examples
from updates.showing.invented import NOTICE

EXAMPLES = examples(datetime.now(UTC).date())

UPDATE_REFERENCE = {"type": "ref/resource", "uri": "azure-updates://update/{id}"}


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Office]:
    async with office(tmp_path, UPDATES) as opened:
        yield opened


async def read(caller: Caller, uri: str) -> Any:
    (content,) = (await caller.result("resources/read", {"uri": uri}))["contents"]
    return json.loads(content["text"])


async def test_a_search_gives_each_part_of_a_result(place: Office) -> None:
    answer = await place.search(query="old lamp")
    assert {key: answer[key] for key in ("limit", "offset", "hasMore")} == {"limit": 50, "offset": 0, "hasMore": False}
    found = answer["results"][0]
    assert found["relevance"] > 0
    assert {key: value for key, value in found.items() if key != "relevance"} == {
        "id": "100002",
        "title": "Retirement: The old lamp service retires in March 2027",
        "description": "Move to LEDs, before the lamps go out.",
        "tags": ["Retirements"],
        "productCategories": ["Lighting"],
        "products": ["Lamps"],
        "availabilities": ["Retirement 2027-03"],
        "modified": found["modified"],
    }


async def test_filters_dates_order_paging_and_facets_reach_the_index(place: Office) -> None:
    retiring = {"availabilityRing": "retirement", "dateFrom": "2027-01", "dateTo": "2027-03"}
    assert await place.ids(filters=retiring) == ["100002"]
    assert await place.ids(filters={"products": ["lamps"], "status": "Launched"}) == ["100003"]
    assert await place.ids(sortBy="created:asc", limit=2, offset=1) == ["100002", "100003"]
    answer = await place.search(filters={"productCategories": ["Lighting"]}, limit=1, facets=True)
    assert (answer["total"], answer["hasMore"], answer["facets"]["products"]) == (2, True, {"Lamps": 2})


async def test_filters_may_come_as_json_text(place: Office) -> None:
    assert await place.ids(filters='{"tags": ["Retirements"]}') == ["100002"]


async def test_an_id_gives_that_update_and_ignores_the_rest(place: Office) -> None:
    found = await place.search(id="100002", query="nothing like it", limit=1)
    assert found["description"] == "Move to [LEDs](https://example.com/leds), before the lamps go out."


@Sweep(
    ("arguments", "told"),
    [
        ({"id": "nope"}, "No update has the id 'nope'."),
        ({"filters": {"products": ["Lamp shades"]}}, "Lamps"),
        ({"filters": {"dateFrom": "2027-02", "dateTo": "2027-01"}}, "dateTo 2027-01 is before dateFrom 2027-02."),
        ({"filters": {"dateFrom": "yesterday"}}, "is not a date"),
        ({"filters": {"product": ["Lamps"]}}, "filters.product: unknown parameter. Did you mean 'products'"),
        (
            {"filters": {f"k{number}": 1 for number in range(400)}},
            "filters: has 400 filters, which is too many. Valid filters: tags,",
        ),
        ({"filters": {"tags": ["x" * 100_000]}}, "No tag is called 'xxx"),
        ({"sortBy": "colour:asc"}, "relevance, modified, created, availability, title"),
        ({"limit": 101}, "limit: must be less than or equal to 100"),
        ({"top": 5}, "top: unknown parameter."),
    ],
    every=2,
)
async def test_what_makes_no_sense_is_told_with_what_does(place: Office, arguments: dict[str, Any], told: str) -> None:
    assert told in await place.caller.told("search_azure_updates", **arguments)


async def test_what_matches_loosely_is_listed_too_unless_only_words_count(place: Office) -> None:
    answer = await place.search(query="old lamp solar")
    assert {found["id"] for found in answer["results"]} == {"100001", "100002", "100003"}
    assert (answer["total"], answer["alsoClose"], answer["hasMore"]) == (1, 2, False)
    assert await place.ids(query="old lamp solar", semantic=False) == ["100002"]


async def test_nothing_found_names_the_nearest_spelling(place: Office) -> None:
    answer = await place.search(query="lampz")
    assert (answer["total"], answer["results"]) == (0, [])
    assert "lamp" in answer["didYouMean"]


async def test_nothing_that_has_several_products_is_told_to_be_asked_for_one_by_one(place: Office) -> None:
    both = {"products": ["Lamps", "Azure Sunshine"]}
    assert (await place.search(filters=both))["hint"] == (
        "An update matches only if it has all products in the filter. Search for each value separately."
    )
    assert "hint" not in await place.search(filters={"products": ["Lamps"]})
    assert "hint" not in await place.search(filters={"products": ["Lamps"]}, query="nowhere")


async def test_the_guide_tells_what_there_is_and_every_example_of_it_works(place: Office) -> None:
    guide = await read(place.caller, "azure-updates://guide")
    assert guide["totalUpdates"] == len(UPDATES)
    assert guide["status"] == "ok"
    assert guide["dataFreshnessHours"] < 1
    assert guide["lastSyncTimestamp"]
    assert guide["filters"]["products"]["Lamps"] == 2
    assert [example["arguments"] for example in guide["examples"]] == [arguments for _, arguments in EXAMPLES]
    assert "notice" not in guide


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
async def test_each_example_of_the_guide_finds_something_in_the_sample(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    async with office(tmp_path, (), synced=False, sample=True) as opened:
        assert (await opened.search(**EXAMPLES[number][1]))["total"] > 0


async def test_silent_edits_and_withdrawals_are_in_the_changelog(place: Office) -> None:
    place.api.records["100003"] |= {"title": "Generally Available: Much brighter lamps"}
    del place.api.records["100001"]
    place.api.records["100005"] = record(5)
    refused = await place.full_sync()
    assert not refused["done"], "a quarter of all updates gone is suspicious"
    place.api.records |= {update["id"]: update for update in (record(number) for number in range(10, 60))}
    delta = (await place.caller.call("refresh_azure_updates"))["structuredContent"]
    assert (delta["done"], delta["added"], delta["edited"], delta["withdrawn"]) == (True, 51, 1, 0)
    done = await place.full_sync()
    assert (done["done"], done["edited"], done["withdrawn"]) == (True, 0, 1)
    changes = (await read(place.caller, "azure-updates://changelog"))["changes"]
    edited, withdrawn = ([change for change in changes if change["change"] == kind] for kind in ("edited", "withdrawn"))
    assert [change["id"] for change in withdrawn] == ["100001"]
    assert edited[0]["edits"] == [
        {
            "field": "title",
            "before": "Generally Available: Brighter lamps",
            "after": "Generally Available: Much brighter lamps",
        }
    ]
    assert (await place.search(id="100001"))["withdrawn"]
    assert "100001" not in await place.ids(limit=100)


async def test_statistics_hold_the_retirement_calendar(place: Office) -> None:
    statistics = await read(place.caller, "azure-updates://stats")
    assert statistics["perCategory"]["Lighting"] == 2
    assert [(entry["date"], entry["id"]) for entry in statistics["retirements"]] == [("2027-03", "100002")]


async def test_one_update_is_a_resource_whose_id_is_completed(place: Office) -> None:
    assert (await read(place.caller, "azure-updates://update/100002"))["products"] == ["Lamps"]
    reference = {"type": "ref/resource", "uri": "azure-updates://update/{id}"}
    params = {"ref": reference, "argument": {"name": "id", "value": "10000"}}
    completion = (await place.caller.result("completion/complete", params))["completion"]
    assert completion["values"] == ["100001", "100002", "100003", "100004"]


@pytest.mark.parametrize(
    ("prompt", "argument", "value", "completed"),
    [
        ("whats_new", "products", "la", ["Lamps"]),
        ("retirement_review", "products", "Batch, la", ["Batch, Lamps"]),
        ("retirement_review", "categories", "li", ["Lighting"]),
    ],
)
async def test_the_vocabulary_completes_what_prompts_ask_for(
    place: Office, prompt: str, argument: str, value: str, completed: list[str]
) -> None:
    params = {"ref": {"type": "ref/prompt", "name": prompt}, "argument": {"name": argument, "value": value}}
    assert (await place.caller.result("completion/complete", params))["completion"]["values"] == completed


@pytest.mark.parametrize("ref", [{"type": "ref/prompt", "name": "whats_new"}, UPDATE_REFERENCE], ids=["prompt", "id"])
async def test_a_completion_is_never_larger_than_what_it_completes_allows(place: Office, ref: dict[str, str]) -> None:
    argument = {"name": "products" if "name" in ref else "id", "value": "," * 400_000}
    answer = await place.caller.send("completion/complete", {"ref": ref, "argument": argument})
    assert len(answer.body) < 1_000
    fitting = {"ref": ref, "argument": {**argument, "value": "," * 999}}
    assert len((await place.caller.send("completion/complete", fitting)).body) < 110_000


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("whats_new", {"since": "2026-05", "products": "Lamps"}, '"dateFrom": "2026-05"'),
        ("retirement_review", {"until": "2027-06", "categories": "Lighting"}, '"dateTo": "2027-06"'),
    ],
)
async def test_prompts_name_the_call_to_make(place: Office, name: str, arguments: dict[str, str], said: str) -> None:
    result = await place.caller.result("prompts/get", {"name": name, "arguments": arguments})
    assert said in result["messages"][0]["content"]["text"]


async def test_health_tells_freshness_and_the_last_runs(place: Office) -> None:
    health = (await place.caller.call("check_azure_updates_health"))["structuredContent"]
    assert (health["status"], health["totalUpdates"], health["isSample"]) == ("ok", 4, False)
    assert "4 received" in health["runs"][0]


async def test_health_tells_of_a_reading_that_was_refused_until_another_is_believed(place: Office) -> None:
    held = dict(place.api.records)
    place.api.records.clear()
    place.api.records |= {"100001": held["100001"]}
    await place.full_sync()
    health = (await place.app.providers.health())["updates"]
    assert health["status"] == "suspicious"  # type: ignore[index]
    assert "The sync was rejected: 75.0 % of the known updates are missing" in health["advice"]  # type: ignore[index]
    assert (await place.caller.call("check_azure_updates_health"))["structuredContent"]["status"] == "suspicious"
    place.api.records |= held
    await place.caller.call("refresh_azure_updates")
    assert (await place.app.providers.health())["updates"]["status"] == "suspicious"  # type: ignore[index]
    await place.full_sync()
    assert (await place.app.providers.health())["updates"]["status"] == "ok"  # type: ignore[index]


async def test_health_tells_of_a_reading_that_was_not_wholly_believed(place: Office) -> None:
    place.api.records = {"": record("", title="Without an id"), **place.api.records}
    await place.full_sync()
    assert "Nothing was withdrawn, because" in (await place.library_advice())


async def test_a_reading_that_looked_wrong_is_believed_once_it_is_accepted(place: Office) -> None:
    assert "waiting to be accepted" in await place.caller.told("accept_reading")
    for gone in ("100001", "100003", "100004"):
        del place.api.records[gone]
    assert not (await place.full_sync())["done"]
    assert "call accept_reading" in await place.library_advice()
    accepted = await place.caller.agreed("accept_reading")
    assert "75.0 % of the known updates are missing" in accepted["structuredContent"]["accepted"]
    assert (await place.full_sync())["withdrawn"] == 3
    assert (await place.app.providers.health())["updates"]["status"] == "ok"  # type: ignore[index]


async def test_another_reading_than_the_accepted_one_is_not_believed(place: Office) -> None:
    for gone in ("100001", "100003"):
        del place.api.records[gone]
    await place.full_sync()
    await place.caller.agreed("accept_reading")
    del place.api.records["100004"]
    assert not (await place.full_sync())["done"]


async def test_a_doubt_that_stays_is_accepted_and_updates_are_withdrawn_again(place: Office) -> None:
    more = {f"{number}": record(number) for number in range(200_000, 200_060)}
    place.api.records |= more | {"": record("", title="Without an id")}
    await place.full_sync()
    del place.api.records["100001"]
    assert (await place.full_sync())["withdrawn"] == 0
    await place.caller.agreed("accept_reading")
    assert (await place.full_sync())["withdrawn"] == 1


async def test_an_accepted_doubt_that_passed_is_doubted_when_it_comes_back(place: Office) -> None:
    place.api.miscounts_by = 1
    await place.full_sync()
    await place.caller.agreed("accept_reading")
    await place.full_sync()
    assert "Nothing was withdrawn" not in await place.library_advice()
    place.api.miscounts_by = 0
    await place.full_sync()
    place.api.miscounts_by = 1
    await place.full_sync()
    assert "Nothing was withdrawn" in await place.library_advice()


async def test_before_the_first_sync_is_done_callers_are_told_to_wait(tmp_path: Path) -> None:
    async with office(tmp_path, UPDATES, synced=False) as opened:
        assert "the first sync is running" in await opened.caller.told("search_azure_updates", query="lamp")
        await (await opened.library()).settled()
        assert await opened.ids(query='"old lamp"') == ["100002"]


async def test_until_the_feed_was_read_a_sample_is_served_and_called_one(tmp_path: Path) -> None:
    async with office(tmp_path, (), synced=False, sample=True) as opened:
        assert (await opened.search(query="retirement"))["total"] > 0
        guide = await read(opened.caller, "azure-updates://guide")
        assert (guide["isSample"], guide["status"], guide["lastSyncTimestamp"]) == (True, "sample", None)
        assert (await opened.app.providers.health())["updates"]["isSample"] is True  # type: ignore[index]


async def test_every_answer_of_the_sample_says_first_that_it_is_invented(tmp_path: Path) -> None:
    async with office(tmp_path, (), synced=False, sample=True) as opened:
        found = await opened.search(query="retirement", limit=1)
        one = found["results"][0]["id"]
        answers = [found, await opened.search(id=one)]
        answers += [
            await read(opened.caller, f"azure-updates://{what}") for what in ("guide", "stats", f"update/{one}")
        ]
        tools = ("check_azure_updates_health", "get_azure_updates_feeds")
        answers += [(await opened.caller.call(tool))["structuredContent"] for tool in tools]
        assert all(next(iter(answer.items())) == ("notice", NOTICE) for answer in answers)
        assert answers[1]["url"].startswith("https://example.com/")


async def test_nothing_real_says_that_it_is_invented(place: Office) -> None:
    assert "notice" not in await place.search(query="lamp")
    assert "INVENTED" not in (await place.export("csv", {})).body.decode()


async def test_what_each_question_of_the_readme_asks_is_in_the_sample(tmp_path: Path) -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    year = datetime.now(UTC).year
    retiring = {"availabilityRing": "Retirement", "dateFrom": f"{datetime.now(UTC):%Y-%m}", "dateTo": f"{year + 1}-12"}
    asked: dict[str, dict[str, Any]] = {
        "What retires in Networking before the end of next year?": {
            "filters": {**retiring, "productCategories": ["Networking"]}
        },
        '"arguments": {"query": "retirement", "limit": 1}': {"query": "retirement", "limit": 1},
    }
    async with office(tmp_path, (), synced=False, sample=True) as opened:
        for question, arguments in asked.items():
            assert question in readme
            assert (await opened.search(**arguments))["total"] > 0, question
