"""The errors of an app are read where they are: in its workspace, else by the names of before at the component."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tests.fakes.azure import troubles
from tests.fakes.azure.monitor.bakery import INSIGHTS
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.world import PRODUCTION
from tests.tools.azure.inventing import answered, asking
from tools.azure.settings import AzureSettings

ELSEWHERE = f"/subscriptions/{PRODUCTION}/resourceGroups/oven-prod/providers/microsoft.insights/components/other"


def failing() -> FakeAzure:
    azure, now = FakeAzure(), datetime.now(UTC) - timedelta(minutes=5)
    for place, problem in ((INSIGHTS, "BurntBread at bake"), (ELSEWHERE, "Flood at mill")):
        azure.monitor.logs.add(place, "AppExceptions", now, ProblemId=problem, OuterMessage="x", ItemCount=2)
    return azure


def queried(azure: FakeAzure) -> list[str]:
    return [one.path.partition("/providers/")[2] for one in azure.asked if one.path.endswith("/query")]


async def test_errors_are_read_in_the_workspace_and_only_those_of_the_app() -> None:
    azure = failing()
    async with asking(azure) as caller:
        found = await answered(caller, "list_app_errors", app=INSIGHTS, since="1h")
    whats = {one["what"] for one in found["items"]}
    assert "BurntBread at bake" in whats
    assert "Flood at mill" not in whats
    assert [path.lower() for path in queried(azure)] == ["microsoft.operationalinsights/workspaces/bakery-logs/query"]
    assert "OperationId" in found["next"]["arguments"]["query"]


@pytest.mark.parametrize(
    "trouble",
    [
        troubles.failing(400, "SEM0100", "'union' operator: Failed to resolve table expression named 'AppExceptions'"),
        troubles.failing(403, "InsufficientAccessError", "The provided credentials have insufficient access"),
    ],
)
async def test_where_the_workspace_does_not_answer_the_component_does_by_the_names_of_before(
    trouble: troubles.Trouble,
) -> None:
    azure = failing()
    azure.places["workspaces/bakery-logs/query"] = trouble
    async with asking(azure) as caller:
        found = await answered(caller, "list_app_errors", app=INSIGHTS, since="1h")
    assert "BurntBread at bake" in {one["what"] for one in found["items"]}
    assert "operation_Id" in found["next"]["arguments"]["query"]
    assert queried(azure)[-1].lower() == "microsoft.insights/components/shop-insights/query"


async def test_a_workspace_out_of_reach_is_not_asked() -> None:
    azure = failing()
    locked = AzureSettings(subscription=PRODUCTION, allowed_groups=frozenset({"shop-prod"}))
    async with asking(azure, settings=locked) as caller:
        found = await answered(caller, "list_app_errors", app=INSIGHTS, since="1h")
    assert "BurntBread at bake" in {one["what"] for one in found["items"]}


QUERY = "AppExceptions | where TimeGenerated > ago(1h) | summarize number = sum(ItemCount) by ProblemId"


async def test_a_query_of_a_component_is_asked_in_its_workspace_of_what_the_component_wrote() -> None:
    azure = failing()
    async with asking(azure) as caller:
        found = await answered(caller, "query_logs", source=INSIGHTS, query=QUERY, since="1h")
        columns = await answered(caller, "list_log_tables", source=INSIGHTS, table="AppExceptions")
        tables = await answered(caller, "list_log_tables", source=INSIGHTS)
    problems = {row[found["columns"].index("ProblemId")] for row in found["rows"]}
    assert "BurntBread at bake" in problems
    assert "Flood at mill" not in problems
    assert "OuterMessage" in columns["columns"]
    assert "AppExceptions" in {one["name"] for one in tables["items"]}
    assert {path.lower() for path in queried(azure)} == {"microsoft.operationalinsights/workspaces/bakery-logs/query"}


@pytest.mark.parametrize(
    "trouble",
    [
        troubles.failing(400, "SEM0100", "'' operator: Failed to resolve table or column expression named 'AppX'"),
        troubles.failing(403, "InsufficientAccessError", "The provided credentials have insufficient access"),
    ],
)
async def test_a_query_is_asked_by_the_classic_names_where_the_workspace_does_not_answer(
    trouble: troubles.Trouble,
) -> None:
    azure = failing()
    azure.places["workspaces/bakery-logs/query"] = trouble
    async with asking(azure) as caller:
        found = await answered(caller, "query_logs", source=INSIGHTS, query=QUERY, since="1h")
        tables = await answered(caller, "list_log_tables", source=INSIGHTS)
    assert "problemId" in found["columns"]
    assert "BurntBread at bake" in {row[found["columns"].index("problemId")] for row in found["rows"]}
    assert "classic names" in found["note"]
    assert tables["count"]


@pytest.mark.parametrize(
    "query",
    [
        "union * | count",
        "search 'BurntBread' | count",
        "requests | count",
        "Heartbeat | summarize AppRequests = count()",
        "// AppRequests\nprint 'AppRequests'",
    ],
)
async def test_a_query_that_cannot_be_narrowed_is_asked_of_the_component(query: str) -> None:
    azure = failing()
    async with asking(azure) as caller:
        await caller.call("query_logs", source=INSIGHTS, query=query, since="1h")
    assert {path.lower() for path in queried(azure)} == {"microsoft.insights/components/shop-insights/query"}
