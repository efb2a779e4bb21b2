"""What engineers ask of Azure Monitor is answered to a model that has only `azure`, in few calls and few tokens."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest

from scripts.benchmarks.model import Model
from tests.fakes.azure.people import OWNER, READER, Principal
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.world import SHOP
from tests.mcp_server.caller import Caller
from tests.tools.azure.bakery import at_the_bakery
from tests.tools.azure.inventing import answered


@pytest.fixture
def who() -> Principal:
    return OWNER


@pytest.fixture
async def model(who: Principal) -> AsyncIterator[Model]:
    async with at_the_bakery(FakeAzure(), who=who) as caller:
        found = Model(Caller(caller.endpoint))
        await found.look_around()
        yield found


async def test_which_exceptions_the_shop_throws_since_this_morning(model: Model) -> None:
    await model.want("which exceptions does shop-web throw since the deployment")
    found = await model.do("list_app_errors", app="shop-web", since="3h")
    assert [one["kind"] for one in found["items"]] == ["exception", "request", "dependency"]
    assert found["items"][0]["message"] == "'currency'"
    assert found["items"][0]["times"] == 24
    assert len(found["items"][0]["operations"]) == 3
    assert (model.calls, model.tokens < 850) == (2, True), model.tokens


async def test_what_belongs_to_one_of_its_operations(model: Model) -> None:
    await model.want("which exceptions are in application insights shop-insights")
    groups = await model.do("list_app_errors", app="shop-insights", since="3h")
    await model.want("run a kql query on application insights shop-insights")
    (operation, *_) = groups["items"][2]["operations"]
    query = (
        f"union AppRequests, AppExceptions, AppDependencies | where OperationId == '{operation}' | project Type, Name"
    )
    found = await model.do("query_logs", source="shop-insights", query=query, since="3h")
    assert sorted(row[0] for row in found["rows"]) == ["AppDependencies", "AppExceptions", "AppRequests"]
    assert (model.calls, model.tokens < 1500) == (4, True), model.tokens


async def test_how_many_errors_the_shop_answered_over_time(model: Model) -> None:
    await model.want("show the metrics of the app service shop-web")
    found = await model.do("query_metrics", resource="shop-web", names=["Http5xx"], since="4h", interval="30m")
    (series,) = found["items"]
    assert series["aggregation"] == "total"
    assert series["values"][0] == 0
    assert series["values"][-1] > 0
    assert (model.calls, model.tokens < 850) == (2, True), model.tokens


async def test_who_did_something_to_the_shop_today(model: Model) -> None:
    await model.want("azure activity log of shop-web")
    found = await model.do("list_activity_log", resource="shop-web", since="6h")
    assert [one["operation"] for one in found["items"]] == [
        "Microsoft.Web/sites/restart/action",
        "Microsoft.Web/sites/write",
    ]
    assert (model.calls, model.tokens < 900) == (2, True), model.tokens


async def test_what_only_reads_is_counted_and_shown_on_demand() -> None:
    azure = FakeAzure()
    log, at = azure.monitor.activity, azure.monitor.activity.now - timedelta(minutes=5)
    for number in range(120):
        account = f"{SHOP}/providers/Microsoft.Storage/storageAccounts/bakery{number}"
        log.add(account, "Microsoft.Storage/storageAccounts/listKeys/action", at, "app@example.com")
    asked: dict[str, Any] = {"resource_group": "shop-prod", "since": "6h", "max_results": 2}
    async with at_the_bakery(azure) as caller:
        found = await answered(caller, "list_activity_log", **asked)
        everything = await answered(caller, "list_activity_log", **asked, include_reads=True)
    assert [one["operation"] for one in found["items"]] == [
        "Microsoft.Web/sites/restart/action",
        "Microsoft.Web/sites/write",
    ]
    assert (
        found["leftOut"]
        == "120 operations that change nothing are omitted. Pass include_reads=true to include these operations."
    )
    assert "listKeys" in str(everything["items"][0])
    assert "leftOut" not in everything


async def test_why_something_failed_yesterday(model: Model) -> None:
    await model.want("failed operations in the activity log of azure")
    found = await model.do("list_activity_log", since="2d", status="Failed")
    assert [one["why"] for one in found["items"]] == [
        "RequestDisallowedByPolicy: Resource 'shop-big' was disallowed by policy."
    ]
    assert (model.calls, model.tokens < 900) == (2, True), model.tokens


async def test_whether_a_machine_is_healthy(model: Model) -> None:
    await model.want("resource health of oven-control")
    found = await model.do("show_resource_health", resource="oven-control")
    assert (found["state"], found["cause"]) == ("Unavailable", "Customer Initiated")
    assert [one["state"] for one in found["history"]] == ["Available"]
    assert (model.calls, model.tokens < 600) == (2, True), model.tokens


async def test_what_azure_plans_and_what_it_touches(model: Model) -> None:
    await model.want("planned maintenance of azure for us")
    found = await model.do("list_service_health_events", kind="maintenance")
    assert [one["id"] for one in found["items"]] == ["5N9X-LRG"]
    found = await model.do("list_service_health_events", tracking_id="5N9X-LRG")
    assert found["resources"] == ["Microsoft.Sql/servers/shop-sql"]
    assert (model.calls, model.tokens < 900) == (3, True), model.tokens


async def test_what_fires_and_by_which_rule(model: Model) -> None:
    await model.want("which alerts fired")
    found = await model.do("list_fired_alerts", since="1d", condition="Fired")
    assert [(one["rule"], one["severity"]) for one in found["items"]] == [
        ("shop-slow", "Sev2"),
        ("oven-control-down", "Sev1"),
    ]
    await model.want("alert rules of shop-web")
    found = await model.do("list_alert_rules", resource="shop-web")
    assert [one["id"].rpartition("/")[2] for one in found["items"]] == ["shop-slow"]
    assert (model.calls, model.tokens < 1800) == (4, True), model.tokens


@pytest.mark.parametrize("who", [READER])
async def test_who_may_see_one_group_sees_what_happened_there_and_no_more(model: Model) -> None:
    await model.want("azure activity log of the subscription")
    found = await model.do("list_activity_log", since="7d")
    assert {one["what"].split("/")[-1] for one in found["items"]} == {"shop-web", "shop-big"}
