"""The fixed requirements for Azure updates. Each test is named after the id of its requirement."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest

from tests.mcp_server.caller import Caller
from tests.offline import app_of, offline
from tests.tools.updates_office import Office

GUIDE: Final = "azure-updates://guide"
FILTERS: Final = {"tags", "productCategories", "products", "status", "availabilityRing", "dateFrom", "dateTo"}
FIELDS: Final = {"id", "title", "description", "tags", "productCategories", "products", "availabilities", "modified"}


async def test_up_1_parameters(place: Office) -> None:
    tools = {tool["name"]: tool for tool in (await place.caller.result("tools/list"))["tools"]}
    schema = tools["search_azure_updates"]["inputSchema"]["properties"]
    assert {"query", "id", "filters", "limit", "offset"} <= set(schema)
    filters: dict[str, Any] = schema["filters"]
    assert set(filters["properties"]) >= FILTERS
    assert [schema["limit"][name] for name in ("minimum", "maximum", "default")] == [1, 100, 50]


async def test_up_1_filters_are_combined_with_and(place: Office) -> None:
    assert await place.ids(filters={"products": ["lamps"]})
    assert await place.ids(filters={"products": ["lamps"], "availabilityRing": "Retirement"}) == ["100002"]
    assert await place.ids(filters={"products": ["lamps"], "tags": ["Retirements"], "status": "Launched"}) == []


async def test_up_2_results(place: Office) -> None:
    answer = await place.search(query="old lamp")
    assert {"results", "total", "limit", "offset", "hasMore"} <= answer.keys()
    (found, *_) = answer["results"]
    assert found.keys() >= FIELDS
    assert found["relevance"] > 0


async def test_up_2_a_word_in_the_title_counts_and_so_does_one_in_the_description(place: Office) -> None:
    assert set(await place.ids(query="lamps")) == {"100002", "100003"}
    assert "100002" in await place.ids(query="LEDs")


async def test_up_3_guide(place: Office) -> None:
    listed = (await place.caller.result("resources/list"))["resources"]
    assert [one["name"] for one in listed if one["uri"] == GUIDE] == ["Azure Updates Search Guide"]
    (content,) = (await place.caller.result("resources/read", {"uri": GUIDE}))["contents"]
    assert json.loads(content["text"]).keys() >= {"totalUpdates", "lastSyncTimestamp", "dataFreshnessHours"}


async def test_up_4_updates_are_read_in_the_background(tmp_path: Path) -> None:
    # Nothing listens where the feed would be; requests are answered all the same, from the sample.
    app = app_of(offline(tmp_path))
    answer = await Caller(app.endpoint).call("search_azure_updates", query="storage")
    assert answer["structuredContent"]["results"]
    await app.close()


@pytest.mark.parametrize("uri", ["azure-updates://changelog", "azure-updates://stats"])
async def test_up_5_resources(place: Office, uri: str) -> None:
    assert (await place.caller.result("resources/read", {"uri": uri}))["contents"]


async def test_up_5_sorting_facets_health_and_refresh(place: Office) -> None:
    answer = await place.search(sortBy="created:asc", facets=True)
    assert answer["facets"]
    names = await Caller(place.caller.endpoint, "azure-updates").tool_names()
    assert {"check_azure_updates_health", "refresh_azure_updates"} <= set(names)


@pytest.mark.parametrize(("form", "begins"), [("csv", b"\xef\xbb\xbfid,title"), ("pdf", b"%PDF-")])
async def test_up_5_export_as_csv_and_pdf(place: Office, form: str, begins: bytes) -> None:
    file = await place.export(form, {})
    assert (file.status, file.body.startswith(begins)) == (200, True)
