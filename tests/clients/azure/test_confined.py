"""Where settings lock Azure to some subscriptions or groups, nothing else is asked for or told."""

from __future__ import annotations

import json
from typing import Any, Final
from urllib.parse import quote

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


def _nested(levels: int, kind: type) -> Any:
    inner: Any = "end"
    for _ in range(levels):
        inner = [inner] if kind is list else {"a": inner}
    return inner


@pytest.mark.parametrize(
    ("body", "refusal"),
    [
        ({"query": "T".ljust(20_000)}, ""),
        ({"query": "T".ljust(20_001)}, "at most 20000 characters"),
        ({"a": _nested(18, dict)}, ""),
        ({"a": _nested(19, dict)}, "nested too deeply"),
        ({"a": _nested(18, list)}, ""),
        ({"a": _nested(19, list)}, "nested too deeply"),
        ({"query": {"value": 5}}, ""),
        ({"query": [1, None]}, ""),
        ({"inner": [{"KQL": "union workspace('x').T"}]}, "must not use workspace"),
        ({"scope": f"/subscriptions/{SHOP}"}, ""),
        ({"scope": f"/subscriptions/{SHOP}/resourceGroups/web"}, ""),
        ({"scope": f"/subscriptions/{LAB}"}, "outside the allowed scope"),
        (f"/subscriptions/{SHOP} \xff".encode("latin-1"), ""),
        (f"/subscriptions/{LAB} \xff".encode("latin-1"), "outside the allowed scope"),
        ({"url": quote(quote(f"/subscriptions/{SHOP}", ""), "")}, ""),
        ({"url": quote(quote(f"/subscriptions/{LAB}", ""), "")}, "outside the allowed scope"),
        ({"url": quote(quote(quote(f"/subscriptions/{SHOP}", ""), ""), "")}, "encoded too many times"),
        ({"filter": f"subscriptionId eq '{SHOP}'"}, ""),
        ({"filter": f"subscriptionId eq '{LAB}'"}, "outside the allowed scope"),
        ({"filter": f"in(/subscriptions/{SHOP}/resourceGroups/web)"}, ""),
        ({"filter": f"in(/subscriptions/{SHOP}/resourceGroups/vault)"}, "outside the allowed scope"),
        ({"scope": "/providers/Microsoft.Management/managementGroups/root"}, "outside the allowed scope"),
    ],
    ids=lambda value: str(value)[:60],
)
async def test_the_body_of_a_request_is_read_for_what_it_reaches(body: Any, refusal: str) -> None:
    estate = Estate()
    azure = locked(estate, "", f"{SHOP}/web")
    request = written(f"POST {WEB}/providers/X.Y/z/a/check", body=body, is_read=True, is_ready_made=True)
    if refusal:
        with pytest.raises(Refusal, match=refusal):
            await azure.send(request)
    else:
        await azure.send(request)
    assert len(estate.sent) == (not refusal)


def _with_last(length: int) -> str:
    """A path whose parts have this length in total."""
    start = f"{WEB}/providers/X.Y/z"
    return f"GET {start}/" + "a" * (length - len(start.replace("/", "")))


async def test_a_path_has_up_to_4096_characters() -> None:
    estate = Estate()
    await locked(estate, SHOP).send(written(_with_last(4096)))
    with pytest.raises(Refusal, match="parts of a path"):
        await locked(estate, SHOP).send(written(_with_last(4097)))
    assert len(estate.sent) == 1


class Fixed(Estate):
    """Answers everything alike."""

    answer = AzureAnswer(200, {}, b"{}")

    async def send(self, *sent: Any) -> AzureAnswer:
        await super().send(*sent)
        return self.answer


@pytest.mark.parametrize(
    ("status", "content"),
    [(200, b""), (202, b" \n"), (204, b""), (300, b"[]"), (403, b'{"error": {"code": "AuthorizationFailed"}}')],
)
@pytest.mark.parametrize("path", [WEB, f"/subscriptions/{SHOP}/resources"])
async def test_a_failure_and_an_empty_answer_tell_nothing_that_could_be_elsewhere(
    path: str, status: int, content: bytes
) -> None:
    estate = Fixed()
    estate.answer = AzureAnswer(status, {}, content)
    confined = ConfinedAzure(estate, MANAGER, token, reach(SHOP, f"{SHOP}/web"))
    assert await confined.send(MANAGER, written(f"GET {path}"), "Bearer token") is estate.answer


@pytest.mark.parametrize("status", [200, 299])
async def test_a_list_that_cannot_be_read_is_not_told(status: int) -> None:
    estate = Fixed()
    estate.answer = AzureAnswer(status, {}, b'{"value": [')
    confined = ConfinedAzure(estate, MANAGER, token, reach("", f"{SHOP}/web"))
    with pytest.raises(Refusal, match="Not found, or outside"):
        await confined.send(MANAGER, written(f"GET /subscriptions/{SHOP}/resources"), "Bearer token")
    assert await confined.send(MANAGER, written(f"GET {WEB}"), "Bearer token") is estate.answer


async def test_without_the_list_of_subscriptions_a_name_opens_nothing() -> None:
    estate = Fixed()
    estate.answer = AzureAnswer(403, {}, b'{"error": {"code": "AuthorizationFailed", "message": "Not you."}}')
    with pytest.raises(Refusal, match="does not permit this"):
        await locked(estate, "Shop").send(written(f"GET {WEB}"))
    assert [path for _, path, _ in estate.sent] == ["/subscriptions"]


async def test_a_wait_is_a_wait_of_the_exchange() -> None:
    class Waiting(Estate):
        waited = 0.0

        async def sleep(self, seconds: float) -> None:
            self.waited += seconds

    estate = Waiting()
    await ConfinedAzure(estate, MANAGER, token, reach(SHOP)).sleep(2.5)
    assert estate.waited == 2.5


AT: Final = f"/subscriptions/{SHOP}/operationresults/abc"


async def _is_told(estate: Fixed, confined: ConfinedAzure) -> bool:
    """Whether somebody who polls there is told what the operation did."""
    estate.answer = AzureAnswer(200, {}, b'{"state": "Incident"}')
    try:
        return await confined.send(MANAGER, written(f"GET {AT}"), "Bearer token") is estate.answer
    except Refusal:
        return False


@pytest.mark.parametrize("begun", [WEB, f"/subscriptions/{SHOP}/resources"])
@pytest.mark.parametrize("header", ["Location", "Azure-AsyncOperation", "Link"])
@pytest.mark.parametrize("at", [AT, AT.upper(), f"{AT}/", AT.replace("operationresults", "results")])
@pytest.mark.parametrize("status", [200, 201, 202, 203, 204, 400])
async def test_what_an_operation_within_reach_did_is_told_where_azure_says_and_nowhere_else(
    begun: str, header: str, at: str, status: int
) -> None:
    estate = Fixed()
    estate.answer = AzureAnswer(status, {header: f"{MANAGER.base_url}{at}?t=1"}, b"")
    confined = ConfinedAzure(estate, MANAGER, token, reach("", f"{SHOP}/web"))
    await confined.send(MANAGER, written(f"GET {begun}"), "Bearer token")
    is_named = begun == WEB and header != "Link" and "operationresults" in at.lower() and status in {200, 201, 202}
    assert await _is_told(estate, confined) == is_named


async def test_an_operation_that_is_expected_is_told() -> None:
    estate = Fixed()
    confined = ConfinedAzure(estate, MANAGER, token, reach("", f"{SHOP}/web"))
    assert not await _is_told(estate, confined)
    confined.expect(f"{MANAGER.base_url}{AT}?t=1")
    assert await _is_told(estate, confined)


@pytest.mark.parametrize(("method", "said"), [("PUT", "accepted the change"), ("GET", "Not found, or outside")])
async def test_after_a_change_with_an_answer_from_elsewhere_it_is_said_that_it_was_made(method: str, said: str) -> None:
    estate = Fixed()
    content = json.dumps({"id": f"{VAULT}/providers/Microsoft.Web/sites/s"}).encode()
    estate.answer = AzureAnswer(200, {}, content, is_of_change=method == "PUT")
    confined = ConfinedAzure(estate, MANAGER, token, reach("", f"{SHOP}/web"))
    with pytest.raises(Refusal, match=said):
        await confined.send(MANAGER, written(f"{method} {WEB}/providers/Microsoft.Web/sites/s"), "Bearer token")


async def test_a_service_that_is_not_limited_is_not_asked_about_what_is_within_reach_either() -> None:
    estate = Estate()
    confined = ConfinedAzure(estate, MANAGER, token, reach(SHOP))
    with pytest.raises(Refusal, match="China cannot be limited"):
        await confined.send(Service("China", CLOUDS["china"].manager.base_url, "x"), written(f"GET {WEB}"), "Bearer x")
    assert estate.sent == []


async def test_the_list_of_subscriptions_does_not_go_on_elsewhere() -> None:
    estate = Estate(next_link=f"{MANAGER.base_url}{WEB}/resources")
    with pytest.raises(Refusal, match="links to another host"):
        await locked(estate, "Shop").send(written(f"GET {WEB}"))
    assert len(estate.sent) == 1


@pytest.mark.parametrize("elsewhere", [VAULT, f"/subscriptions/{LAB}/resourceGroups/web"])
async def test_what_a_change_names_has_to_be_within_reach(elsewhere: str) -> None:
    confined = ConfinedAzure(Estate(), MANAGER, token, reach("", f"{SHOP}/web"))
    within = f"{WEB}/providers/Microsoft.Web/sites/s"
    await confined.refuse_elsewhere([WEB, within], [{"target": within}])
    for ids, documents in (([WEB, elsewhere], []), ([], [{"target": f"{elsewhere}/providers/x.y/z"}])):
        with pytest.raises(Refusal, match="outside the allowed scope"):
            await confined.refuse_elsewhere(ids, documents)


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
