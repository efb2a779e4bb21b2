"""What the real service was recorded to answer about costs, advice, quotas and policies is understood."""

from __future__ import annotations

from typing import Any, Final

import pytest

from clients.azure.cost.rows import next_link, rows_in
from tests.mcp_server.caller import Caller
from tests.tools.azure.data import recorded, with_data
from tests.tools.azure.golden import SUBSCRIPTION, Case, Scripted

pytestmark = with_data

SUBSCRIPTIONS: Final = {"reply": {"value": [{"subscriptionId": SUBSCRIPTION, "displayName": "Shop"}]}}
PERIOD: Final = {"since": "2026-10-01", "until": "2026-10-31"}
# The names of definitions and assignments are asked for as well: they are not there.
NAMELESS: Final[list[Any]] = [{"status": 404, "reply": {"error": {"code": "NotFound", "message": "No."}}}] * 60


async def given(caller: Caller, scripted: Scripted, tool: str, arguments: dict[str, Any], *replies: Any) -> Any:
    exchanges: list[Any] = [SUBSCRIPTIONS, *({"reply": reply} for reply in replies), *NAMELESS]
    scripted.play(Case(tool, tool, arguments, exchanges, None, None), by_turns=True)
    result = await caller.call(tool, **arguments)
    assert not result["isError"], result["content"][0]["text"]
    return result["structuredContent"]


def body_of(name: str) -> Any:
    return recorded(name)["response"]["body"]


async def test_recorded_costs_are_told_and_add_up(scripted: Scripted, player: Caller) -> None:
    body = body_of("costmanagement/001-query-usage-200")
    found = await given(player, scripted, "show_costs", {"by": "resource_group", "max_results": 3, **PERIOD}, body)
    assert found["total"] == round(sum(row[0] for row in body["properties"]["rows"]), 2) == 17.82
    assert found["currency"] == "USD"
    assert found["items"][0] == {"name": "functionshost-westus-stable", "cost": 4.34}
    assert found["others"] == {"count": 11, "cost": 5.31}


@pytest.mark.parametrize(
    ("name", "day", "state"),
    [
        ("costmanagement/021-spec-query-usage-200", "2018-03-31", ""),
        ("costmanagement/025-spec-query-usage-200", "2018-04-17", ""),
        ("costmanagement/005-spec-forecast-usage-200", "2018-03-31", "Forecast"),
    ],
)
def test_documented_rows_are_read_by_their_columns(name: str, day: str, state: str) -> None:
    body = body_of(name)
    found = rows_in(body)
    assert len(found) == len(body["properties"]["rows"])
    assert (found[0].day, found[0].state, found[0].currency) == (day, state, "USD")
    assert bool(next_link(body)) is bool(body["properties"]["nextLink"])


@pytest.mark.parametrize("name", ["006-spec-forecast-usage-204", "024-spec-query-usage-204"])
async def test_nothing_at_all_is_no_cost(name: str, scripted: Scripted, player: Caller) -> None:
    assert recorded(f"costmanagement/{name}")["response"]["status"] == 204
    scripted.play(Case("", "", {}, [SUBSCRIPTIONS, {"status": 204, "reply": None}], None, None), by_turns=True)
    result = await player.call("show_costs", **PERIOD)
    assert (result["structuredContent"]["total"], result["structuredContent"]["items"]) == (0.0, [])


@pytest.mark.parametrize(
    "name",
    [
        "costmanagement/027-spec-budgets-list-200",
        "consumption/009-budgets-list-200",
        "consumption/022-spec-budgets-list-200",
    ],
)
async def test_recorded_budgets_say_how_far_they_are(name: str, scripted: Scripted, player: Caller) -> None:
    body = body_of(name)
    found = await given(player, scripted, "list_budgets", {}, {"value": body["value"]})
    assert found["count"] == len(body["value"])
    assert all({"amount", "used_percent", "of"} <= one.keys() for one in found["items"])


@pytest.mark.parametrize("name", ["005-recommendations-list-200", "020-spec-recommendations-list-200"])
async def test_recorded_recommendations_name_their_resource(name: str, scripted: Scripted, player: Caller) -> None:
    body = body_of(f"advisor/{name}")
    found = await given(
        player, scripted, "list_advisor_recommendations", {"max_results": 200}, {"value": body["value"]}
    )
    assert found["count"] == len(body["value"])
    same = found.get("sameInAll", {})
    assert all({"category", "impact", "problem", "resource"} <= {**same, **one}.keys() for one in found["items"])


async def test_documented_scores_are_told_in_percent(scripted: Scripted, player: Caller) -> None:
    found = await given(player, scripted, "show_advisor_score", {}, body_of("advisor/028-spec-advisor-scores-list-200"))
    assert {one["score"] for one in found["items"]} == {100.0}


@pytest.mark.parametrize(
    ("name", "provider", "what"),
    [
        ("008-usage-list-200", "compute", "Total Regional vCPUs"),
        ("010-usages-list-200", "network", "Virtual Networks"),
        ("012-usages-list-200", "network", "Virtual Networks"),
    ],
)
async def test_recorded_limits_are_told(
    name: str, provider: str, what: str, scripted: Scripted, player: Caller
) -> None:
    body = body_of(f"quota-usages/{name}")
    arguments = {"regions": ["westus"], "providers": [provider], "max_results": 200}
    found = await given(player, scripted, "list_quotas", arguments, body)
    assert found["count"] == sum(one["currentValue"] > 0 for one in body["value"])
    assert what in {one["what"] for one in found["items"]}


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("005-policy-states-list-query-results-for-resource-200", {}),
        ("009-policy-states-list-query-results-for-subscription-200", {"by": "policy"}),
        ("011-policy-states-list-query-results-for-subscription-200", {}),
    ],
)
async def test_recorded_states_are_told(
    name: str, arguments: dict[str, Any], scripted: Scripted, player: Caller
) -> None:
    body = body_of(f"policyinsights/{name}")
    place = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/a/providers/Microsoft.Web/sites/b"
    scripted.play(Case("", "", {}, [{"reply": {"value": body["value"]}}, *NAMELESS], None, None), by_turns=True)
    result = await player.call("list_policy_violations", resource_id=place, **arguments)
    assert not result["isError"], result["content"][0]["text"]
    assert result["structuredContent"]["count"] == len(body["value"]) > 0
