"""What the real service was recorded to answer about logs, metrics, activity and health is understood."""

from __future__ import annotations

from typing import Any, Final

import pytest

from tests.mcp_server.caller import Caller
from tests.tools.azure.data import recorded, with_data
from tests.tools.azure.golden import SUBSCRIPTION, Case, Scripted

pytestmark = with_data

GROUP: Final = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/shop/providers"
SITE: Final = f"{GROUP}/Microsoft.Web/sites/till"
APP: Final = f"{GROUP}/microsoft.insights/components/old"
SUBSCRIPTIONS: Final = {"value": [{"subscriptionId": SUBSCRIPTION, "displayName": "Shop"}]}
COMPONENT: Final = {"id": APP, "properties": {"AppId": "5e0a7a51-0000-4000-8000-000000000002"}}
LOGS: Final = {"source": SITE, "query": "x", "since": "1d"}


async def given(caller: Caller, scripted: Scripted, tool: str, arguments: dict[str, Any], *replies: Any) -> Any:
    exchanges = [one if "status" in one else {"reply": one} for one in replies]
    scripted.play(Case(tool, tool, arguments, exchanges, None, None), by_turns=True)
    return await caller.call(tool, **arguments)


def response_of(name: str) -> dict[str, Any]:
    response = recorded(name)["response"]
    return {"status": response["status"], "reply": response["body"]}


def body_of(name: str) -> Any:
    return recorded(name)["response"]["body"]


@pytest.mark.parametrize(
    "name",
    [
        "loganalytics-query/003-query-execute-200",
        "loganalytics-query/005-query-execute-200",
        "loganalytics-query/007-query-execute-200",
        "loganalytics-query/020-spec-query-get-200",
        "loganalytics-query/023-spec-query-resource-get-200",
        "appinsights-query/009-query-execute-200",
        "appinsights-query/011-query-execute-200",
        "appinsights-query/013-query-execute-200",
    ],
)
async def test_recorded_rows_are_there_as_far_as_they_fit(name: str, scripted: Scripted, player: Caller) -> None:
    body = body_of(name)
    (table,) = body["tables"]
    result = await given(player, scripted, "query_logs", LOGS, body)
    told = result["structuredContent"]
    assert told["count"] == len(table["rows"]) or told["more"].startswith(
        "The result has more rows than fit into the answer."
    )
    assert told["count"] >= min(20, len(table["rows"]))
    assert set(told["columns"]) <= {column["name"] for column in table["columns"]}
    assert all(len(row) == len(told["columns"]) for row in told["rows"])


async def test_a_recorded_value_of_any_form_is_told_as_it_is(scripted: Scripted, player: Caller) -> None:
    result = await given(player, scripted, "query_logs", LOGS, body_of("loganalytics-query/007-query-execute-200"))
    assert result["structuredContent"]["rows"] == [
        ["hello", True, "2000-01-02T03:04:05Z", 100, 101, 102.1, {"hello": "world"}]
    ]


async def test_a_recorded_part_of_a_result_says_so(scripted: Scripted, player: Caller) -> None:
    result = await given(player, scripted, "query_logs", LOGS, body_of("loganalytics-query/018-doc-200-partial-error"))
    assert "exceed the set limit of 500000 records" in result["structuredContent"]["partial"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("loganalytics-query/009-query-execute-400", "Query could not be parsed at 'foobar' on line [1,10]"),
        ("loganalytics-query/011-query-execute-504", "The query timed out"),
        ("loganalytics-query/013-query-resource-execute-400", "Use list_log_tables to list tables with rows"),
        ("loganalytics-query/015-error-400-semantic-error", "named 'resource'"),
        ("loganalytics-query/017-error-504-service-error", "is not available (504 ServiceError)"),
    ],
)
async def test_a_recorded_refusal_of_a_query_is_told(name: str, words: str, scripted: Scripted, player: Caller) -> None:
    result = await given(player, scripted, "query_logs", LOGS, response_of(name))
    assert result["isError"]
    assert words in result["content"][0]["text"]


async def test_recorded_columns_of_a_classic_table_are_told(scripted: Scripted, player: Caller) -> None:
    body, arguments = body_of("appinsights-query/009-query-execute-200"), {"source": APP, "table": "requests"}
    result = await given(player, scripted, "list_log_tables", arguments, COMPONENT, body)
    assert result["structuredContent"]["columns"]["customDimensions"] == "dynamic"


@pytest.mark.parametrize("number", ["009", "011"])
async def test_recorded_definitions_of_metrics_are_told(number: str, scripted: Scripted, player: Caller) -> None:
    body = body_of(f"monitor/{number}-metric-definitions-list-200")
    for detail in ("summary", "full"):
        arguments = {"resource": SITE, "detail": detail}
        result = await given(player, scripted, "list_metric_definitions", arguments, body)
        told = result["structuredContent"]
        assert told["count"] == len(body["value"])
        assert all({"name", "unit", "usual"} <= one.keys() for one in told["items"])


@pytest.mark.parametrize(
    "name",
    [
        *(f"monitor/{number}-metrics-list-200" for number in ("013", "015", "017", "019")),
        *(f"monitor/{number}-spec-metrics-list-200" for number in ("035", "037")),
    ],
)
async def test_recorded_values_of_metrics_are_told(name: str, scripted: Scripted, player: Caller) -> None:
    body, arguments = body_of(name), {"resource": SITE, "names": ["x"]}
    result = await given(player, scripted, "query_metrics", arguments, body)
    told = result["structuredContent"]
    assert told["count"] == sum(len(metric["timeseries"]) or 1 for metric in body["value"])
    assert all(one["metric"] and isinstance(one["values"], list) for one in told["items"])


@pytest.mark.parametrize("name", ["001-activity-logs-list-200", "021-spec-activity-logs-list-200"])
async def test_recorded_events_are_told(name: str, scripted: Scripted, player: Caller) -> None:
    body = body_of(f"monitor/{name}")
    result = await given(
        player, scripted, "list_activity_log", {"detail": "full"}, SUBSCRIPTIONS, {"value": body["value"]}
    )
    told = result["structuredContent"]
    assert told["count"] == len(body["value"])
    assert all({"at", "by", "operation"} <= one.keys() for one in told["items"])


async def test_a_recorded_refusal_of_an_old_time_is_told(scripted: Scripted, player: Caller) -> None:
    refusal = response_of("monitor/005-activity-logs-list-400")
    result = await given(player, scripted, "list_activity_log", {"since": "100d"}, SUBSCRIPTIONS, refusal)
    assert "The start time cannot be more than 90 days in the past." in result["content"][0]["text"]


async def test_recorded_health_is_told(scripted: Scripted, player: Caller) -> None:
    state = body_of("resourcehealth/003-spec-availability-statuses-get-by-resource-200")
    events = {"value": body_of("resourcehealth/013-spec-events-list-by-single-resource-200")["value"]}
    history: dict[str, Any] = {"value": []}
    result = await given(player, scripted, "show_resource_health", {"resource": SITE}, state, history, events)
    told = result["structuredContent"]
    assert (told["state"], told["reason"], len(told["actions"])) == ("Unavailable", "Unplanned", 2)
