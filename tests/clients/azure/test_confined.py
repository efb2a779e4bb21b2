"""Where settings lock Azure to some subscriptions or groups, nothing else is asked for or told."""

from __future__ import annotations

from typing import Any, Final

import pytest

from clients.azure.client import Azure
from clients.azure.cloud import CLOUDS, Service
from clients.azure.confinement.confined import ConfinedAzure
from clients.azure.ids import ResourceId
from clients.azure.messages import AzureAnswer, AzureRequest
from refusal import Refusal
from tests.clients.azure.attacks import ATTACKS, GRAPH, VAULT, WEB
from tests.clients.azure.estate import (
    GROUPS,
    LAB,
    MANAGER,
    NAMES,
    SHOP,
    Estate,
    locked,
    reach,
    secret,
    token,
    written,
)


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
