"""Under a lock, a query of Resource Graph asks only what may be reached."""

from __future__ import annotations

import json
from typing import Any

import pytest

from clients.azure.messages import AzureAnswer
from refusal import Refusal
from tests.clients.azure.attacks import ATTACKS, GRAPH, VAULT, WEB
from tests.clients.azure.estate import (
    LAB,
    SHOP,
    Estate,
    locked,
    secret,
    written,
)


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"subscriptions": [SHOP, LAB]},
        {"subscriptions": [SHOP], "managementGroups": ["root"]},
        {"ManagementGroups": ["root"], "options": {"authorizationScopeFilter": "AtScopeAboveAndBelow"}},
        {"SUBSCRIPTIONS": [SHOP.upper()], "$top": 5},
    ],
)
async def test_a_query_of_resource_graph_asks_what_may_be_reached_whatever_it_says(body: dict[str, Any]) -> None:
    estate = Estate()
    await locked(estate, SHOP).send(written(GRAPH, body={"query": f"resources | where id has '{LAB}'", **body}))
    assert estate.bodies == [
        {
            "subscriptions": [SHOP],
            "query": f"resources | where id has '{LAB}'",
            "options": {"resultFormat": "objectArray"},
        }
    ]


async def test_the_options_and_facets_of_a_query_stay_as_far_as_they_cannot_widen_it() -> None:
    estate = Estate()
    kept = {"$skip": 5, "$TOP": 7, "$skipToken": "x", "allowPartialScopes": True}
    widening = {"resultFormat": "table", "ResultFormat": "table", "authorizationScopeFilter": "AtScopeAboveAndBelow"}
    body = {
        "query": "resources",
        "subscriptions": [LAB],
        "options": kept | widening,
        "facets": [{"expression": "type"}],
    }
    await locked(estate, f"{SHOP},{LAB}").send(written(GRAPH, body=body))
    assert estate.bodies == [
        {
            "subscriptions": [LAB],
            "query": "resources",
            "options": {**kept, "resultFormat": "objectArray"},
            "facets": [{"expression": "type"}],
        }
    ]


async def test_a_query_without_anything_asks_for_all_that_may_be_reached() -> None:
    estate = Estate()
    await locked(estate, f"{SHOP},{LAB}").send(written(GRAPH, body={"facets": [], "options": None}))
    assert estate.bodies == [{"subscriptions": [SHOP, LAB], "query": "", "options": {"resultFormat": "objectArray"}}]


@pytest.mark.parametrize("body", [["resources"], "resources", {"query": "resources", "options": ["$top"]}])
async def test_a_query_that_is_no_object_is_not_sent(body: object) -> None:
    estate = Estate()
    with pytest.raises(Refusal, match="must be an object"):
        await locked(estate, SHOP).send(written(GRAPH, body=body))
    assert estate.sent == []


async def test_a_query_asks_for_up_to_a_thousand_subscriptions() -> None:
    estate = Estate()
    ids = [f"{number:08x}-1111-1111-1111-111111111111" for number in range(1001)]
    await locked(estate, ",".join(ids[:1000])).send(written(GRAPH, body={"query": "resources"}))
    assert estate.bodies[0]["subscriptions"] == ids[:1000]
    with pytest.raises(Refusal, match="at most 1000 subscriptions"):
        await locked(estate, ",".join(ids)).send(written(GRAPH, body={"query": "resources"}))
    assert len(estate.sent) == 1


async def test_a_query_of_resource_graph_for_something_else_is_not_sent() -> None:
    estate = Estate()
    with pytest.raises(Refusal, match="None of these subscriptions"):
        await locked(estate, SHOP).send(written(GRAPH, body={"query": "resources", "subscriptions": [LAB]}))
    assert estate.sent == []


async def test_under_a_lock_on_groups_queries_of_ones_own_are_not_sent() -> None:
    estate = Estate()
    azure = locked(estate, SHOP, "web")
    for request in (
        written(GRAPH, body={"query": "resources"}),
        written(f"POST {WEB}/providers/X.Y/workspaces/w/query", body={"query": "Requests"}),
        written(f"GET {WEB}/providers/Microsoft.Insights/logs?QUERY=Requests"),
    ):
        with pytest.raises(Refusal, match="a custom query"):
            await azure.send(request)
    assert estate.sent == []


@pytest.mark.parametrize("query", ATTACKS["unclear"])
async def test_a_query_of_resource_graph_that_may_mean_something_else_to_azure_is_not_sent(query: str) -> None:
    estate = Estate()
    with pytest.raises(Refusal, match=r"character|plain value"):
        await locked(estate, SHOP).send(written(GRAPH, body={"query": query}))
    assert estate.sent == []


async def test_under_a_lock_on_groups_our_queries_ask_for_these_alone() -> None:
    estate = Estate()
    query = "resources | where type =~ 'microsoft.search/x' | summarize count() by type"
    answer = await locked(estate, SHOP, "web,Vault").send(written(GRAPH, body={"query": query}, is_ready_made=True))
    assert estate.bodies[0]["query"] == (
        f"resources | where (subscriptionId =~ '{SHOP}' and resourceGroup in~ ('vault', 'web')) |"
        " where type =~ 'microsoft.search/x' | summarize count() by type"
    )
    assert {row["note"] for row in answer.document["data"]} == {secret(SHOP, "web"), secret(SHOP, "vault")}


@pytest.mark.parametrize(
    "further",
    [
        "| join (resources) on id",
        "| union resources",
        "; resources",
        "| lookup (r) on id",
        "| where id in (resourcecontainers | project id)",
        "| where id in (advisorresources)",
        "| where name == '\\'' // | project x\n| union resources // '",
        "[0]",
        "('resources')",
    ],
)
async def test_a_query_of_ours_with_a_second_table_is_not_sent_under_a_lock_on_groups(further: str) -> None:
    estate = Estate()
    with pytest.raises(Refusal, match="cannot be limited"):
        await locked(estate, SHOP, "web").send(
            written(GRAPH, body={"query": f"resources {further}"}, is_ready_made=True)
        )
    assert estate.sent == []


async def test_definitions_that_azure_brings_are_told_and_those_that_somebody_made_are_not() -> None:
    at = f"/subscriptions/{SHOP}/providers/Microsoft.Authorization/roleDefinitions"

    class Roles(Estate):
        async def send(self, *sent: Any) -> AzureAnswer:
            rows = [
                {"id": f"{at}/a", "properties": {"type": "BuiltInRole"}},
                {"id": f"{at}/b", "properties": {"type": "CustomRole"}},
                {"id": f"{VAULT}/providers/X.Y/schemadefinitions/c", "properties": {"type": "BuiltIn"}},
            ]
            await super().send(*sent)
            return AzureAnswer(200, {}, json.dumps({"value": rows}).encode())

    answer = await locked(Roles(), SHOP, "web").send(written(f"GET {at}"))
    assert [row["id"] for row in answer.document["value"]] == [f"{at}/a"]
