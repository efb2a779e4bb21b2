"""Values that callers send reach Application Insights, or it is said what became of them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from refusal import Refusal
from telemetry.metric_series import MetricSeries
from tests.mcp_server.caller import Caller
from tests.offline import app_of, offline
from tests.tools.metrics.calling import Here, sending
from tools.metrics.cardinality import SECONDS_KEPT, Cardinality
from tools.metrics.sending import MOST_VALUES

pytestmark = pytest.mark.anyio


@pytest.fixture
async def here(tmp_path: Path) -> AsyncIterator[Here]:
    async with sending(tmp_path) as there:
        yield there


async def test_a_value_arrives_with_its_properties(here: Here) -> None:
    told = await here.send("orders.paid", 12.5, properties={"region": "eu"})
    (metric,) = here.ingestion.metrics()["orders.paid"]
    assert (metric["value"], metric["count"], metric["labels"]) == (12.5, 1, {"region": "eu"})
    (item,) = here.ingestion.items
    assert item["tags"]["ai.cloud.role"] == "azure-team-mcp"
    assert item["time"].startswith(told["sent_at"][:19])
    assert told["status"] == "accepted"


async def test_what_is_sent_together_goes_in_one_request_and_values_of_a_series_in_one_point(here: Here) -> None:
    more = [
        {"metric_name": "orders.paid", "value": -3},
        {"metric_name": "orders.paid", "value": 4, "properties": {"region": "eu"}},
        {"metric_name": "queue/length", "value": 0},
    ]
    await here.send("orders.paid", 5, more=more)
    assert len(here.ingestion.headers) == 1
    metrics = here.ingestion.metrics()
    points = [(one["value"], one["count"], one["min"], one["max"], one["labels"]) for one in metrics["orders.paid"]]
    assert points == [(2, 2, -3, 5, {}), (4, 1, 4, 4, {"region": "eu"})]
    assert [one["value"] for one in metrics["queue/length"]] == [0]


async def test_what_is_taken_in_part_is_named(here: Here) -> None:
    here.ingestion.refusing[1] = (400, "Field 'time' is too old")
    told = await here.send(more=[{"metric_name": "b", "value": 2, "properties": {"region": "eu"}}])
    assert told["status"] == "accepted in part"
    assert told["refused"] == [{"metric_name": "b", "properties": {"region": "eu"}, "why": "Field 'time' is too old"}]
    here.ingestion.refusing = {0: (500, "again")}
    assert (await here.send())["status"] == "refused"


@pytest.mark.parametrize(
    ("status", "headers", "words"),
    [
        (400, {}, "rejected the values (400)"),
        (401, {}, "Monitoring Metrics Publisher"),
        (402, {}, "daily cap"),
        (403, {}, "Monitoring Metrics Publisher"),
        (404, {}, "APPLICATIONINSIGHTS_CONNECTION_STRING"),
        (429, {"Retry-After": "17"}, "call in 17 seconds"),
        (439, {}, "daily cap"),
        (500, {}, "not accepting values at present (500)"),
        (503, {}, "call in a minute"),
    ],
)
async def test_what_is_not_taken_is_said_and_sent_once(
    here: Here, status: int, headers: dict[str, str], words: str
) -> None:
    here.ingestion.status, here.ingestion.told = status, headers
    told = await here.refused()
    assert words in told
    assert len(here.ingestion.headers) == 1
    here.ingestion.status = 200
    assert (await here.send())["status"] == "accepted"


async def test_without_an_answer_nobody_says_that_it_was_taken(here: Here) -> None:
    here.ingestion.hangs_up = True
    assert "may or may not have arrived" in await here.refused()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"name": "9lives"}, "must start with a letter"),
        ({"name": "orders paid"}, "must start with a letter"),
        ({"name": "orders."}, "must start with a letter"),
        ({"name": "a\nb"}, "must start with a letter"),
        ({"name": "é"}, "must start with a letter"),
        ({"name": "Azure_Team_MCP.tool.calls"}, "are reserved"),
        ({"name": "http.server.request.duration"}, "are reserved"),
        ({"name": "requests/duration"}, "are reserved"),
        ({"more": [{"metric_name": "x" * 151, "value": 1}]}, "150 characters"),
        ({"name": "x" * 151}, "metric_name"),
        ({"name": ""}, "metric_name"),
        ({"value": "12"}, "value"),
        ({"value": True}, "value"),
        ({"value": 1e301}, "exceeds"),
        ({"value": -1e301}, "exceeds"),
        ({"value": 10**400}, "value"),
        ({"value": float("nan")}, ""),
        ({"value": float("inf")}, ""),
        ({"properties": {"_MS.MetricId": "x"}}, "reserved by Application Insights"),
        ({"properties": {"cloud/roleName": "x"}}, "reserved by Application Insights"),
        ({"properties": {"a b": "x"}}, "format of a metric name"),
        ({"properties": {"region": "e\nu"}}, "one line"),
        ({"properties": {"region": "\ud800"}}, ""),
        ({"properties": {"region": "x" * 257}}, "of 1 to 256 characters"),
        ({"properties": {"region": 5}}, "properties"),
        ({"properties": {f"p{number}": "x" for number in range(11)}}, "11 properties"),
        ({"more": [{"metric_name": "a", "value": 1}] * MOST_VALUES}, "more"),
        ({"more": [{"metric_name": "a", "value": 1, "time": "now"}]}, "more"),
        ({"more": [{"metric_name": "a b", "value": 1}]}, "must start with a letter"),
    ],
    ids=lambda value: ascii(value)[:30],
)
async def test_what_cannot_be_right_is_refused_before_anything_is_sent(
    here: Here, arguments: dict[str, Any], words: str
) -> None:
    assert words in await here.refused(**arguments)
    assert here.ingestion.headers == []


async def test_series_are_bounded_and_nothing_of_what_is_too_much_is_sent(tmp_path: Path) -> None:
    async with sending(tmp_path, METRICS_MOST_SERIES="4", METRICS_MOST_SERIES_OF_A_METRIC="2") as here:
        assert (await here.send("a"))["series_left"] == 1
        two = [{"metric_name": "a", "value": 1, "properties": {"n": str(number)}} for number in range(2)]
        assert "a has 1 series in this instance; this call would add 2, and the maximum is 2" in await here.refused(
            "b", more=two
        )
        assert "b" not in here.ingestion.metrics()
        await here.send("b", more=two[:1])
        await here.send("a")
        await here.send("c")
        assert "There are 4 series" in await here.refused("d")
        assert (await here.send("c", 2))["status"] == "accepted"


def test_a_series_that_is_not_sent_any_more_is_forgotten() -> None:
    now = [0.0]
    known = Cardinality(2, 2, lambda: now[0])
    old, kept = MetricSeries("a", {}, [1]), MetricSeries("b", {}, [1])
    known.note([old, kept])
    now[0] = SECONDS_KEPT - 1
    known.note([kept])
    now[0] = SECONDS_KEPT
    new = MetricSeries("c", {}, [1])
    known.check([new])
    known.note([new])
    with pytest.raises(Refusal, match="There are 2"):
        known.check([old])


async def test_without_application_insights_there_is_no_tool_and_it_is_said_what_is_lacking(tmp_path: Path) -> None:
    app = app_of(offline(tmp_path))
    told = await Caller(app.endpoint).told("azure_change", tool="metrics", command="send_metric")
    assert "APPLICATIONINSIGHTS_CONNECTION_STRING" in told
    await app.close()


async def test_a_connection_string_that_is_none_is_told(tmp_path: Path) -> None:
    app = app_of(offline(tmp_path) | {"APPLICATIONINSIGHTS_CONNECTION_STRING": "marked"})
    told = await Caller(app.endpoint, "metrics").told("send_metric", metric_name="a", value=1)
    assert "is not a valid connection string" in told
    assert "marked" not in told
    await app.close()


ROLES = """
signed-in: {metrics: write}
changes:
- tools: [metrics]
  ask: caller
"""


async def test_where_a_rule_asks_it_is_shown_where_values_would_go(tmp_path: Path) -> None:
    file = tmp_path / "roles.yaml"
    file.write_text(ROLES, encoding="utf-8")
    async with sending(tmp_path, AUTH_ROLES_FILE=str(file), MCP_RULES_WITHOUT_SIGN_IN="true") as here:
        told = await here.refused(properties={"region": "eu"})
        assert "127.0.0.1" in told
        assert "region" in told
        assert here.ingestion.headers == []
