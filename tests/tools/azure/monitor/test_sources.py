"""Whose logs are meant is found by names and ids, and where it cannot be told, it is asked."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from tests.fakes.azure.estate import Resource
from tests.fakes.azure.monitor.bakery import INSIGHTS, WEB
from tests.fakes.azure.people import NOBODY
from tests.fakes.azure.service import FakeAzure
from tests.tools.azure.inventing import answered, asking, refused

ASKED = {"query": "union * | count", "since": "1d"}
ID_OF_WORKSPACE = "7aa1f2d0-0000-4000-8000-000000000008"
ID_OF_APP = "5e0a7a51-0000-4000-8000-000000000002"


def another(azure: FakeAzure, like: str, name: str, **properties: Any) -> Resource:
    """A resource like another one, beside it."""
    first = azure.estate.resources[like.lower()]
    document = deepcopy(first.document) | {"name": name, "id": f"{like.rpartition('/')[0]}/{name}"}
    document["properties"] |= properties
    return azure.estate.add(Resource(document, first.created, first.changed))


def classic(azure: FakeAzure) -> None:
    del azure.estate.resources[INSIGHTS.lower()].properties["WorkspaceResourceId"]


@pytest.mark.parametrize("name", ["bakery-logs", "BAKERY-LOGS", ID_OF_WORKSPACE, "shop-insights", ID_OF_APP, INSIGHTS])
async def test_a_source_is_found_by_its_name_and_by_any_of_its_ids(name: str) -> None:
    async with asking(FakeAzure()) as caller:
        found = await answered(caller, "query_logs", source=name, **ASKED)
    assert found["rows"][0][0] > 20


async def test_of_several_of_a_name_that_which_is_for_logs_is_meant() -> None:
    azure = FakeAzure()
    another(azure, WEB, "shop-insights")
    async with asking(azure) as caller:
        assert (await answered(caller, "query_logs", source="shop-insights", **ASKED))["rows"][0][0] > 20


async def test_several_that_could_be_meant_are_named() -> None:
    azure = FakeAzure()
    another(azure, INSIGHTS, "bakery-logs")
    async with asking(azure) as caller:
        told = await refused(caller, "query_logs", source="bakery-logs", **ASKED)
    assert "Several resources match. Pass the id of one: /subscriptions/" in told
    assert told.count("bakery-logs") == 2


@pytest.mark.parametrize("name", ["nothing", 'x" or 1 == 1 //', "shop-'web'"])
async def test_a_name_that_nothing_has_is_told_with_what_to_do(name: str) -> None:
    async with asking(FakeAzure()) as caller:
        told = await refused(caller, "query_logs", source=name, **ASKED)
    assert "No resource with this name" in told
    assert "Use list_resources to list workspaces" in told


async def test_who_sees_nothing_is_told_so() -> None:
    async with asking(FakeAzure(), who=NOBODY) as caller:
        assert "You cannot see any subscription" in await refused(caller, "query_logs", source="bakery-logs", **ASKED)


async def test_what_any_resource_wrote_is_asked_of_it() -> None:
    async with asking(FakeAzure()) as caller:
        found = await answered(caller, "query_logs", source="oven-api", **ASKED)
    assert found["rows"] == [[24]]


async def test_the_tables_of_a_component_without_a_workspace_have_their_old_names() -> None:
    azure = FakeAzure()
    classic(azure)
    async with asking(azure) as caller:
        errors = await answered(caller, "list_app_errors", app="shop-insights", since="3h")
        tables = await answered(caller, "list_log_tables", source=INSIGHTS)
        told = await refused(caller, "query_logs", source=INSIGHTS, query="AppRequests | count", since="1d")
    assert [one["times"] for one in errors["items"]] == [24, 24, 8]
    assert "operation_Id" in errors["next"]["arguments"]["query"]
    assert {one["name"] for one in tables["items"]} == {"requests", "exceptions", "dependencies"}
    assert "In this source, the table is called requests." in told
    assert all(one.path.startswith("/v1/apps/") for one in azure.asked if one.path.startswith("/v1/"))


async def test_an_app_has_the_component_that_is_linked_to_it() -> None:
    azure = FakeAzure()
    another(azure, INSIGHTS, "oven-insights").document["tags"] = {f"hidden-link:{WEB}": "Resource"}
    async with asking(azure) as caller:
        assert (await answered(caller, "list_app_errors", app="shop-web", since="3h"))["asked"] == "oven-insights"
        told = await refused(caller, "list_app_errors", app="shop-sql", since="3h")
    assert "Several resources match" in told


async def test_an_app_without_a_component_is_told_where_to_look() -> None:
    async with asking(FakeAzure()) as caller:
        told = await refused(caller, "list_app_errors", app="oven-api", since="3h")
    assert "oven-api is not an Application Insights component, and its resource group does not contain one." in told
    assert "query_logs for the logs that oven-api itself writes" in told


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("Exceptions | count", "In this source, the table is called AppExceptions."),
        ("AppRequest | count", "Closest: AppRequests"),
        ("AppRequests | where success == true", "Closest: Success"),
        ("AppRequests | where zzz == true", "Use list_log_tables with table=AppRequests to list its columns."),
        ("union AppRequests, AppTraces | where zzz == 1", "Use list_log_tables with a table to list its columns."),
        ("AppRequests |", "Query could not be parsed at"),
        ("AppRequests | where Name =", "on line [1,"),
    ],
)
async def test_a_mistake_in_a_query_is_told_with_what_would_be_right(query: str, words: str) -> None:
    async with asking(FakeAzure()) as caller:
        assert words in await refused(caller, "query_logs", source=INSIGHTS, query=query, since="1d")


@pytest.mark.parametrize(
    ("since", "until", "words"),
    [
        ("soon", None, "`since` must be a time"),
        ("1d", "2d", "must be before `until`"),
        ("2999-01-01", None, "must be before"),
    ],
)
async def test_a_span_of_time_that_is_none_is_refused_before_anything_is_asked(
    since: str, until: str | None, words: str
) -> None:
    azure = FakeAzure()
    async with asking(azure) as caller:
        told = await refused(caller, "query_logs", source=INSIGHTS, query="x", since=since, until=until)
    assert words in told
    assert not [one for one in azure.asked if one.path.endswith("/query")]
