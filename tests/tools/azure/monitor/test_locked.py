"""Under a lock, what is monitored is told of what is within it, and queries of logs read nothing else."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Final

import pytest

from tests.fakes.azure.monitor.bakery import API, INSIGHTS, SLOW, WEB, WORKSPACE
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.world import DEVELOPMENT, PRODUCTION
from tests.mcp_server.caller import Caller
from tests.tools.azure.inventing import answered, asking, refused
from tools.azure.settings import AzureSettings

LOCK: Final = AzureSettings(
    subscription=PRODUCTION, allowed_subscriptions=frozenset({PRODUCTION}), allowed_groups=frozenset({"shop-prod"})
)


@pytest.fixture
def azure() -> FakeAzure:
    return FakeAzure()


@pytest.fixture
async def caller(azure: FakeAzure) -> AsyncIterator[Caller]:
    async with asking(azure, settings=LOCK) as someone:
        yield someone


async def test_logs_of_what_is_within_are_read_by_a_query_of_ones_own(caller: Caller) -> None:
    found = await answered(caller, "query_logs", source=INSIGHTS, query="AppExceptions | count", since="1d")
    assert found["rows"] == [[24]]
    assert (await answered(caller, "list_app_errors", app=INSIGHTS, since="1d"))["count"] == 3


@pytest.mark.parametrize("source", [WORKSPACE, API, f"/subscriptions/{DEVELOPMENT}"])
async def test_logs_of_what_is_outside_are_not(source: str, caller: Caller, azure: FakeAzure) -> None:
    told = await refused(caller, "query_logs", source=source, query="AppExceptions", since="1d")
    assert "outside the allowed scope" in told
    assert not [one for one in azure.asked if "/query" in one.path]


@pytest.mark.parametrize("query", [f"resource('{API}').AppTraces", "union *, workspace('bakery-logs').AppTraces"])
async def test_a_query_of_logs_cannot_leave_its_source(query: str, caller: Caller, azure: FakeAzure) -> None:
    assert "must not use workspace()" in await refused(caller, "query_logs", source=INSIGHTS, query=query, since="1d")
    assert not [one for one in azure.asked if "/query" in one.path]


async def test_what_was_done_and_what_fired_is_told_of_the_group_only(caller: Caller) -> None:
    done = await answered(caller, "list_activity_log", since="7d")
    assert {one["what"].rpartition("/")[2] for one in done["items"]} == {"shop-web", "shop-big"}
    assert done["out_of_reach"] > 0
    fired = await answered(caller, "list_fired_alerts", since="7d")
    assert {one["resource"].rpartition("/")[2] for one in fired["items"]} == {"shop-web", "orders"}


async def test_events_of_services_and_rules_of_other_groups_are_left_out(caller: Caller) -> None:
    events = await answered(caller, "list_service_health_events")
    assert (events["count"], events["out_of_reach"]) == (0, 3)
    assert (await answered(caller, "list_alert_rules", resource=WEB))["count"] == 0
    assert "outside the allowed scope" in await refused(caller, "show_resource_health", resource=SLOW)


async def test_where_only_subscriptions_are_locked_in_events_of_services_are_told(azure: FakeAzure) -> None:
    lock = AzureSettings(subscription=PRODUCTION, allowed_subscriptions=frozenset({PRODUCTION}))
    async with asking(azure, settings=lock) as caller:
        assert (await answered(caller, "list_service_health_events"))["count"] == 3
        assert (await answered(caller, "list_service_health_events", tracking_id="VT_B-2Q8"))["resources"]
        assert (await answered(caller, "query_logs", source="bakery-logs", query="Usage | count", since="1d"))["rows"]
