"""However much a query of logs finds, an answer stays small, and so does what is read of it."""

from __future__ import annotations

import gc
import json
import tracemalloc
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

import pytest
from aiohttp import web

from tests.fakes.azure import troubles
from tests.fakes.azure.monitor.bakery import INSIGHTS, WORKSPACE
from tests.fakes.azure.people import READER
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.troubles import Trouble
from tests.mcp_server.caller import Caller
from tests.sweeps import Sweep
from tests.tools.azure.inventing import asking, refused

ASKED_FOR: Final = 500_000
MOST_BYTES: Final = 28_000
MOST_SENT: Final = 8_000_000
MOST_MEMORY: Final = 8_000_000
COLUMNS: Final = [
    {"name": "TimeGenerated", "type": "datetime"},
    {"name": "Message", "type": "string"},
    {"name": "Properties", "type": "dynamic"},
]
ROW: Final = json.dumps(["2026-11-20T08:00:00Z", "x" * 150, '{"order":4711,"items":[1,2,3]}'])
QUERY: Final = {"source": WORKSPACE, "query": "AppTraces", "since": "1d"}


@dataclass
class Flood:
    """Half a million rows, as long as somebody reads them."""

    row: str = ROW
    sent: int = 0

    async def befall(self, request: web.BaseRequest) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "application/json"})
        await response.prepare(request)
        beginning = json.dumps({"tables": [{"name": "PrimaryResult", "columns": COLUMNS, "rows": []}]})[:-4]
        await response.write(beginning.encode())
        at_once = max(1, 50_000 // len(self.row))
        piece = ",".join([self.row] * at_once).encode()
        with suppress(ConnectionError):
            for number in range(ASKED_FOR // at_once):
                await response.write(b"," + piece if number else piece)
                self.sent += len(piece)
        return response


async def flooded(flood: Flood, most: int) -> tuple[dict[str, Any], int]:
    """The answer, and how much memory it took at most."""
    azure = FakeAzure()
    azure.places["/query"] = flood.befall
    async with asking(azure) as caller:
        await caller.call("query_logs", **QUERY, max_results=1)
        flood.sent = 0
        gc.collect()
        tracemalloc.start()
        try:
            result = await caller.call("query_logs", **QUERY, max_results=most)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    return result, peak


@Sweep(
    "row",
    [ROW, "[null,null,null]", json.dumps(["", "y" * 100_000, None]), '["\\u0000\\"],[",",,,,,,,,","[[[[[[[["]', "[]"],
    ids=["usual", "empty", "huge", "odd", "nothing"],
    every=3,
)
async def test_half_a_million_rows_stay_bounded_in_bytes_and_memory(row: str) -> None:
    flood = Flood(row)
    result, peak = await flooded(flood, 1000)
    assert not result["isError"], result["content"][0]["text"]
    answer, text = result["structuredContent"], result["content"][0]["text"]
    assert answer["more"]
    assert len(text.encode()) < MOST_BYTES
    assert flood.sent < MOST_SENT
    assert peak < MOST_MEMORY


async def test_what_is_shown_of_a_flood_is_whole_rows() -> None:
    azure = FakeAzure()
    azure.places["/query"] = Flood().befall
    async with asking(azure) as caller:
        answer = (await caller.call("query_logs", **QUERY, max_results=20))["structuredContent"]
    assert answer["count"] == 20
    assert answer["rows"][0][2] == {"order": 4711, "items": [1, 2, 3]}
    assert answer["more"] == "There are more rows: summarize, filter, or raise max_results."


async def test_a_limit_of_the_service_itself_is_told() -> None:
    azure = FakeAzure()
    azure.monitor.logs.largest = 3
    async with asking(azure) as caller:
        told = (await caller.call("query_logs", **QUERY | {"query": "AppRequests"}))["structuredContent"]
    assert told["count"] == 3
    assert "exceed the set limit of 500000 records" in told["partial"]


async def test_a_result_without_rows_tells_its_columns() -> None:
    async with asking(FakeAzure()) as caller:
        result = await caller.call("query_logs", **QUERY | {"query": "AppTraces | project Message"})
    assert result["structuredContent"] | {"span": "", "untrusted": ""} == {
        "untrusted": "",
        "asked": "bakery-logs",
        "span": "",
        "count": 0,
        "columns": ["Message"],
        "rows": [],
    }


@pytest.mark.parametrize(
    ("trouble", "words"),
    [
        (troubles.gateway_timeout, "The query timed out. Use a shorter time span"),
        (troubles.throttled_for_reads, "Try again in 17 seconds."),
        (troubles.broken, "is not available (500 InternalServerError)."),
        (troubles.cut_body, "could not be reached"),
        (troubles.no_json, "response was incomplete"),
        (troubles.garbled, "could not be reached"),
        (troubles.unauthorized, "does not accept the sign-in"),
    ],
)
async def test_what_goes_wrong_with_a_query_is_told_and_it_is_not_asked_again(trouble: Trouble, words: str) -> None:
    azure = FakeAzure()
    azure.places["/query"] = trouble
    async with asking(azure) as caller:
        told = await refused(caller, "query_logs", **QUERY)
    assert words in told
    assert "incident" not in told.lower()
    assert len(azure.asked) == 1 or trouble is troubles.throttled_for_reads


async def test_how_long_the_service_may_take_is_told_to_it() -> None:
    azure = FakeAzure()
    async with asking(azure) as caller:
        await caller.call("query_logs", **QUERY)
    assert [one.headers["Prefer"] for one in azure.asked] == ["wait=45"]


async def test_who_may_not_read_a_workspace_is_told_the_role_and_may_read_what_is_theirs() -> None:
    async with asking(FakeAzure(), who=READER) as caller:
        told = await refused(caller, "query_logs", **QUERY)
        assert "The request requires the role 'Log Analytics Reader' or 'Monitoring Reader' on " + WORKSPACE in told
        assert await _rows(caller, INSIGHTS) == 24


async def _rows(caller: Caller, source: str) -> int:
    result = await caller.call("query_logs", source=source, query="AppExceptions", since="1d")
    return int(result["structuredContent"]["count"])
