"""Where settings lock Azure to some subscriptions or groups, nothing else is asked for or told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from clients.azure.client import Azure
from clients.azure.cloud import CLOUDS, Service
from clients.azure.confinement.confined import ConfinedAzure
from clients.azure.ids import ResourceId
from clients.azure.messages import AzureAnswer, AzureRequest
from refusal import Refusal
from tests.clients.azure.estate import (
    GROUPS,
    LAB,
    MANAGER,
    MILL,
    NAMES,
    SHOP,
    Estate,
    locked,
    reach,
    secret,
    token,
    written,
)

ATTACKS: Final[dict[str, list[str]]] = yaml.safe_load(
    Path(__file__).with_name("attacks.yaml").read_text(encoding="utf-8")
)
GRAPH: Final = "POST /providers/Microsoft.ResourceGraph/resources"
WEB: Final = f"/subscriptions/{SHOP}/resourceGroups/web"
VAULT: Final = f"/subscriptions/{SHOP}/resourceGroups/vault"


@pytest.mark.parametrize("line", ATTACKS["paths"])
@pytest.mark.parametrize("groups", ["", "web", f"{SHOP}/web"])
async def test_what_leads_out_of_a_subscription_is_not_sent(line: str, groups: str) -> None:
    estate = Estate()
    with pytest.raises(Refusal) as refused:
        await locked(estate, SHOP, groups).send(written(_spelt(line)))
    assert estate.sent == []
    assert "Lab" not in str(refused.value)


@pytest.mark.parametrize("line", ATTACKS["of_groups"])
@pytest.mark.parametrize("groups", ["web", f"{SHOP}/web", f"{SHOP}/web,{LAB}/vault"])
async def test_what_leads_out_of_a_group_is_not_sent(line: str, groups: str) -> None:
    estate = Estate()
    with pytest.raises(Refusal):
        await locked(estate, "" if LAB in groups else SHOP, groups).send(written(_spelt(line)))
    assert estate.sent == []


def _spelt(line: str) -> str:
    """An attack, with the ids of its subscriptions."""
    return line.replace("<in>", SHOP).replace("<out>", LAB)


@pytest.mark.parametrize("query", ATTACKS["queries"])
@pytest.mark.parametrize("groups", ["", "web"])
async def test_a_query_that_reads_elsewhere_is_not_sent(query: str, groups: str) -> None:
    estate = Estate()
    azure = locked(estate, SHOP, groups)
    logs = Service("Logs", MANAGER.base_url, MANAGER.scope, ResourceId.of(WEB))
    for request in (
        written(GRAPH, body={"query": query}, is_ready_made=True),
        written(f"GET {WEB}/providers/Microsoft.Insights/logs", is_ready_made=True).asking("query", query=query),
        AzureRequest("POST /v1/workspaces/w/query", body={"query": query}, service=logs, is_ready_made=True),
    ):
        with pytest.raises(Refusal):
            await azure.send(request)
    assert estate.sent == []


async def test_what_is_within_a_lock_is_asked_and_told() -> None:
    estate = Estate()
    azure = locked(estate, SHOP, "web")
    for line in (
        f"GET {WEB}",
        f"GET /Subscriptions/{SHOP}/RESOURCEgroups/WEB/providers/Microsoft.Web/sites/s",
        f"GET {WEB}/providers/X.Y/topics/t/subscriptions/s/resourceGroups/g",
        f"GET {WEB}/providers/X.Y/z/a/providers/Microsoft.Authorization/roleAssignments",
        f"GET /subscriptions/{SHOP}/resourcegroups",
        f"GET /subscriptions/{SHOP}/resources",
        f"GET /subscriptions/{SHOP}/providers/Microsoft.Web/sites",
        "GET /subscriptions",
    ):
        answer = await azure.send(written(line))
        told = answer.text
        assert ("web" in told) or "subscriptionId" in told, line
        assert not {name for name in ("Lab", "Mill", "vault", secret(SHOP, "providers")) if name in told}, line
        assert answer.left_out > 0
    for line in (
        "tenants",
        "providers",
        "providers/Microsoft.Web",
        "providers/Microsoft.Authorization/providerOperations",
    ):
        await azure.send(written(f"GET /{line}"))
    for line in ("", "/locations", "/providers", "/providers/Microsoft.Authorization/permissions"):
        await azure.send(written(f"GET /subscriptions/{SHOP}{line}"))


async def test_a_list_counts_what_it_leaves_out() -> None:
    page = await locked(Estate(), SHOP, "web").page(written(f"GET /subscriptions/{SHOP}/resources"), 10)
    assert [row["note"] for row in page.items] == [secret(SHOP, "web")]
    assert page.left_out == len(NAMES) * (len(GROUPS) + 1) - 1


async def test_groups_that_are_named_like_words_of_paths_are_told_apart() -> None:
    for name in ("providers", "resourceGroups", "subscriptions"):
        estate = Estate()
        azure = locked(estate, SHOP, name)
        answer = await azure.send(written(f"GET /subscriptions/{SHOP}/resourceGroups/{name}/providers/X.Y/z"))
        assert [row["note"] for row in answer.document["value"]] == [secret(SHOP, name)]
        with pytest.raises(Refusal):
            await azure.send(written(f"GET /subscriptions/{SHOP}/resourceGroups/web/resourceGroups/{name}"))


async def test_a_default_that_may_not_be_reached_is_none() -> None:
    confined = ConfinedAzure(Estate(), MANAGER, token, reach("Lab"))
    assert (await Azure(confined, CLOUDS["public"], token, subscription=SHOP).subscription()).name == "Lab"


async def test_a_letter_of_another_alphabet_is_another_letter() -> None:
    estate = Estate()
    with pytest.raises(Refusal, match="outside the allowed scope"):
        await locked(estate, SHOP, "kiosk").send(written(f"GET /subscriptions/{SHOP}/resourceGroups/\u212aiosk"))
    await locked(estate, SHOP, "kiosk").send(written(f"GET /subscriptions/{SHOP}/resourceGroups/KIOSK"))
    assert len(estate.sent) == 1


async def test_a_name_means_the_one_subscription_that_has_it() -> None:
    estate = Estate()
    assert [one.name for one in await locked(estate, "the mill").subscriptions()] == ["The Mill"]
    with pytest.raises(Refusal, match="outside the allowed scope"):
        await locked(estate, "the mill").send(written(f"GET {WEB}"))


async def test_a_name_that_two_subscriptions_have_means_neither(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(NAMES, LAB, "Shop")
    azure = locked(Estate(), "Shop")
    assert await azure.subscriptions() == []
    with pytest.raises(Refusal, match="Nothing that you can see is in the allowed scope"):
        await azure.send(written(f"GET {WEB}"))


async def test_the_next_piece_of_a_list_may_not_be_elsewhere() -> None:
    for link in (f"{MANAGER.base_url}/subscriptions/{LAB}/resources", "https://evil.example/subscriptions/x"):
        estate = Estate(next_link=link)
        with pytest.raises(Refusal):
            await locked(estate, SHOP).page(written(f"GET {WEB}/resources"), 1000)
        assert len(estate.sent) == 1


COSTS: Final = f"POST {WEB}/providers/Microsoft.CostManagement/query"


def _costs_of(name: str, *values: str) -> dict[str, Any]:
    return {"dataset": {"filter": {"dimensions": {"name": name, "operator": "In", "values": list(values)}}}}


async def test_costs_are_asked_of_a_group_within_reach_and_of_nothing_beside_it() -> None:
    estate = Estate()
    azure = locked(estate, SHOP, "web")
    await azure.send(written(COSTS, body=_costs_of("ResourceId", f"{WEB}/providers/x.y/z/a"), is_read=True))
    assert [scope for _, _, scope in estate.sent] == [f"{SHOP}/web"]
    for outside in (f"{VAULT}/providers/x.y/z/a", f"/subscriptions/{LAB}/resourceGroups/web/providers/x.y/z/a"):
        with pytest.raises(Refusal, match="outside the allowed scope"):
            await azure.send(written(COSTS, body=_costs_of("ResourceId", outside), is_read=True))
    assert len(estate.sent) == 1


@pytest.mark.parametrize("place", [VAULT, f"/subscriptions/{SHOP}", f"/subscriptions/{LAB}"])
async def test_the_next_page_of_costs_and_states_may_not_be_elsewhere(place: str) -> None:
    for kind in ("CostManagement/query", "PolicyInsights/policyStates/latest/queryResults"):
        estate = Estate(next_link=f"{MANAGER.base_url}{place}/providers/Microsoft.{kind}?$skiptoken=x")
        with pytest.raises(Refusal):
            await locked(estate, SHOP, "web").page(
                written(f"POST {WEB}/providers/Microsoft.{kind}", is_read=True), 1000
            )
        assert len(estate.sent) == 1


async def test_it_can_be_told_whether_a_whole_subscription_may_be_asked() -> None:
    confined = ConfinedAzure(Estate(), MANAGER, token, reach("", f"{SHOP}/web"))
    assert not await confined.opens_all_of(SHOP)
    assert await ConfinedAzure(Estate(), MANAGER, token, reach(SHOP)).opens_all_of(SHOP)
    assert not await ConfinedAzure(Estate(), MANAGER, token, reach(SHOP)).opens_all_of(LAB)


async def test_an_operation_is_looked_for_where_azure_says_unless_that_is_elsewhere() -> None:
    at = f"/subscriptions/{SHOP}/operationresults/abc"
    estate = Estate(status=202, headers={"Location": f"{MANAGER.base_url}{at}"})
    await locked(estate, SHOP, "web").outcome(written(f"POST {WEB}/exportTemplate"))
    assert [path for _, path, _ in estate.sent][1:] == [at]
    for elsewhere in (f"/subscriptions/{LAB}/operationresults/abc", f"{VAULT}/operationresults/abc"):
        estate = Estate(status=202, headers={"Location": f"{MANAGER.base_url}{elsewhere}"})
        with pytest.raises(Refusal):
            await locked(estate, SHOP, "web").outcome(written(f"POST {WEB}/exportTemplate"))
        assert len(estate.sent) == 1


async def test_whoever_names_an_operation_that_azure_did_not_name_is_told_nothing_of_it() -> None:
    class Results(Estate):
        async def send(self, *sent: Any) -> AzureAnswer:
            await super().send(*sent)
            return AzureAnswer(200, {}, b'{"state": "Incident"}')

    with pytest.raises(Refusal, match="ot found, or outside"):
        await locked(Results(), SHOP, "web").send(written(f"GET /subscriptions/{SHOP}/operationresults/abc"))


async def test_a_connection_of_its_own_is_let_be_where_its_resource_is_within_reach() -> None:
    estate = Estate()
    azure = locked(estate, SHOP, "web")
    near, far = (Service("Bus", MANAGER.base_url, MANAGER.scope, ResourceId.of(place)) for place in (WEB, VAULT))
    assert await azure.token(near) == "token"
    for out in (far, Service("Bus", MANAGER.base_url, MANAGER.scope)):
        with pytest.raises(Refusal):
            await azure.token(out)
    assert [place for _, place, _ in estate.sent if place != "/subscriptions"] == [WEB]


async def test_data_are_within_reach_where_their_resource_is() -> None:
    estate = Estate()
    azure = locked(estate, SHOP, "web")
    cloud = CLOUDS["public"]
    near = ResourceId.of(f"{WEB}/providers/Microsoft.KeyVault/vaults/v")
    await azure.send(AzureRequest("GET /secrets", service=cloud.vault("https://v.vault.azure.net/", near)))
    for far in (f"{VAULT}/providers/Microsoft.KeyVault/vaults/v", f"/subscriptions/{LAB}/resourceGroups/web"):
        with pytest.raises(Refusal, match="outside the allowed scope"):
            await azure.send(
                AzureRequest("GET /x", service=cloud.stored("https://v.blob.core.windows.net", ResourceId.of(far)))
            )
    with pytest.raises(Refusal, match="cannot be limited"):
        await azure.send(AzureRequest("GET /users", service=Service("Graph", CLOUDS["china"].manager.base_url, "x")))
    assert len(estate.sent) == 1


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


PIECES: Final = st.sampled_from(
    [
        *(
            "subscriptions",
            "Subscriptions",
            "resourceGroups",
            "RESOURCEGROUPS",
            "providers",
            "resources",
            "..",
            ".",
            "",
        ),
        *("%2e%2e", "%2F", "a%2fb", "Microsoft.Web", "sites", "s", "Microsoft.Management", "managementGroups", "query"),
        *("microsoft.resourcegraph", "operationresults", "web", "WEB", "vault", "web.", *GROUPS),
        *(SHOP, SHOP.upper(), LAB, MILL, f"{SHOP}/../{LAB}", "\\", "tenants", "locations", "Microsoft.Authorization"),
    ]
)
BEGINNINGS: Final = st.sampled_from(
    [
        "",
        "/subscriptions",
        *(f"/subscriptions/{one}" for one in NAMES),
        WEB,
        VAULT,
        f"/subscriptions/{LAB}/resourceGroups",
    ]
)
PATHS: Final = st.builds(lambda before, rest: "/".join([before, *rest]), BEGINNINGS, st.lists(PIECES, max_size=6))
SUBSCRIPTIONS: Final = st.sets(st.sampled_from([SHOP, SHOP.upper(), "lab", "The Mill", "Nowhere"]))
LOCKED_GROUPS: Final = st.sets(st.sampled_from(["web", "VAULT", "providers", f"{SHOP}/vault", "Lab/web", "nothing"]))


@given(
    subscriptions=SUBSCRIPTIONS,
    groups=LOCKED_GROUPS,
    method=st.sampled_from(["GET", "GET", "POST", "HEAD", "PUT", "DELETE"]),
    path=PATHS,
    link=st.one_of(st.just(""), PATHS),
    place=st.one_of(st.just(""), PATHS),
    query=st.dictionaries(st.sampled_from(["$filter", "query", "scope"]), PATHS, max_size=1),
    body=st.one_of(
        st.none(),
        st.dictionaries(
            st.sampled_from(["query", "subscriptions", "Subscriptions", "managementGroups", "scope"]),
            st.one_of(
                st.just("resources | where id has 'x'"), st.lists(st.sampled_from([*NAMES, *GROUPS]), max_size=3)
            ),
        ),
    ),
    is_ours=st.booleans(),
)
async def test_nothing_outside_of_a_lock_is_asked_for_or_told(
    subscriptions: set[str],
    groups: set[str],
    method: str,
    path: str,
    link: str,
    place: str,
    query: dict[str, str],
    body: Any,
    is_ours: bool,
) -> None:
    if not subscriptions | groups:
        return
    entries = {entry.lower() for entry in subscriptions}, {entry.lower() for entry in groups}
    within = {
        f"{one}/{group}".lower() for one in NAMES for group in (*GROUPS, "nothing") if _is_within(one, group, *entries)
    }
    open_subscriptions = {scope.partition("/")[0] for scope in within}
    estate = Estate(next_link=f"{MANAGER.base_url}{link}" if link else "")
    if place:
        estate.status, estate.headers = 202, {"Location": f"{MANAGER.base_url}{place}"}
    azure = locked(estate, ",".join(sorted(subscriptions)), ",".join(sorted(groups)))
    told = await _told(azure, written(f"{method} {path}", body=body, is_ready_made=is_ours), query, bool(place))
    for asked, at, scope in estate.sent:
        subscription, _, group = scope.partition("/")
        assert not scope or (
            _is_within(subscription, group, *entries) if group else subscription in open_subscriptions
        ), (asked, at)
    far = [secret(one, group) for one in NAMES for group in GROUPS if f"{one}/{group}".lower() not in within]
    assert [one for one in far if one in told] == []


async def _told(azure: Azure, request: AzureRequest, query: dict[str, str], waits: bool) -> str:
    asked = request.asking("query", **query)
    try:
        if waits:
            return (await azure.outcome(asked)).text
        return json.dumps((await azure.page(asked, 50)).items)
    except Refusal as refusal:
        return str(refusal)


def _is_within(subscription: str, group: str, subscriptions: set[str], groups: set[str]) -> bool:
    names = {subscription.lower(), NAMES[subscription].lower()}
    if subscriptions and not names & subscriptions:
        return False
    named = {group.lower(), *(f"{name}/{group}".lower() for name in names)}
    return not groups or bool(named & groups)
