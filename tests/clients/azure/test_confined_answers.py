"""Under a lock, the body of a request is read for what it reaches, and its answer for what it tells."""

from __future__ import annotations

import json
from typing import Any, Final
from urllib.parse import quote

import pytest

from clients.azure.cloud import CLOUDS, Service
from clients.azure.confinement.confined import ConfinedAzure
from clients.azure.messages import AzureAnswer
from refusal import Refusal
from tests.clients.azure.attacks import VAULT, WEB
from tests.clients.azure.estate import LAB, MANAGER, SHOP, Estate, locked, reach, token, written


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
        ({"csl": "union workspace('x').T"}, "must not use workspace"),
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


@pytest.mark.parametrize(("groups", "is_sent"), [("gr\u00fcn", True), ("gr", False)])
async def test_the_name_of_a_group_in_a_body_is_read_with_all_its_letters(groups: str, *, is_sent: bool) -> None:
    estate, scope = Estate(), f"/subscriptions/{SHOP}/resourceGroups/gr\u00fcn"
    place = f"/subscriptions/{SHOP}/resourceGroups/{groups}/providers/X.Y/z/a/check"
    request = written(f"POST {place}", body={"scope": scope}, is_read=True)
    if is_sent:
        await locked(estate, SHOP, groups).send(request)
    else:
        with pytest.raises(Refusal, match="outside the allowed scope"):
            await locked(estate, SHOP, groups).send(request)
    assert len(estate.sent) == is_sent


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
@pytest.mark.parametrize(
    "path",
    [
        WEB,
        f"/subscriptions/{SHOP}/resources",
        f"/subscriptions/{SHOP}/providers/Microsoft.Authorization/roleAssignments",
    ],
)
async def test_a_failure_and_an_empty_answer_tell_nothing_that_could_be_elsewhere(
    path: str, status: int, content: bytes
) -> None:
    estate = Fixed()
    estate.answer = AzureAnswer(status, {}, content)
    known = CLOUDS["public"].directory
    confined = ConfinedAzure(estate, MANAGER, token, reach(SHOP, f"{SHOP}/web"), directory=known)
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


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("subscriptions", {"within"}),
        ("tenants", {"without an id", "built in", "custom", "within", "of the subscription"}),
        ("providers/Microsoft.Web", {"without an id", "built in", "custom", "within", "of the subscription"}),
        (f"subscriptions/{SHOP}/locations", {"without an id", "built in", "custom", "within", "of the subscription"}),
        (f"subscriptions/{SHOP}/resources", {"built in", "within"}),
        ("providers/Microsoft.Authorization/roleDefinitions", {"built in", "within"}),
        (f"subscriptions/{SHOP}/providers/Microsoft.Authorization/policyDefinitions", {"built in", "within"}),
        (WEB[1:], {"without an id", "built in", "within"}),
    ],
)
async def test_each_kind_of_list_leaves_out_what_is_not_within_reach(line: str, told: set[str]) -> None:
    definition = "/providers/Microsoft.Authorization/roleDefinitions"
    rows: dict[str, dict[str, Any]] = {
        "without an id": {"name": "x"},
        "built in": {"id": f"{definition}/y", "properties": {"type": "BuiltInRole"}},
        "custom": {"id": f"{definition}/z", "properties": {"type": "CustomRole"}},
        "within": {"id": f"{WEB}/providers/X.Y/z/a", "subscriptionId": SHOP},
        "of the subscription": {"id": f"/subscriptions/{SHOP}/providers/X.Y/z/a"},
        "outside": {"id": f"{VAULT}/providers/X.Y/z/a", "subscriptionId": LAB},
        "of another subscription": {"id": f"/subscriptions/{LAB}/providers/X.Y/z/a"},
    }
    page = await locked(Estate(rows=[*rows.values()]), "", f"{SHOP}/web").page(written(f"GET /{line}"), 10)
    assert {name for name, row in rows.items() if row in page.items} == told
    assert page.left_out == len(rows) - len(told)


@pytest.mark.parametrize(
    ("groups", "said"),
    [
        ("", "to some subscriptions; list_azure_subscriptions lists them."),
        ("web", "to some resource groups; list_resource_groups lists them."),
    ],
)
async def test_what_is_refused_names_the_tool_that_lists_what_may_be_reached(groups: str, said: str) -> None:
    with pytest.raises(Refusal, match=r"outside the allowed scope\. An operator limits this server") as refused:
        await locked(Estate(), SHOP, groups).send(written(f"GET /subscriptions/{LAB}/resourceGroups/web"))
    assert str(refused.value).endswith(said)


async def test_where_nothing_may_be_reached_that_is_said() -> None:
    with pytest.raises(Refusal, match="Nothing that you can see is in the allowed scope"):
        await locked(Estate(), "No such name").send(written(f"GET {WEB}"))


ALL, ROWS, OF_NOBODY = WEB, f"/subscriptions/{SHOP}/resources", f"/subscriptions/{SHOP}/locations"
DEFINITION = "/providers/Microsoft.Authorization/roleDefinitions/x"
WITHIN = {"id": f"{WEB}/providers/X.Y/z/a"}
OUTSIDE = {"id": f"{VAULT}/providers/X.Y/z/a"}
NOTHING = "nothing"
FURTHER = {"@odata.nextLink": "x", "$skipToken": "x", "totalRecords": 9, "resultTruncated": "false"}


@pytest.mark.parametrize(
    ("path", "document", "told"),
    [
        (ALL, {"name": 1}, {"name": 1}),
        (ROWS, {"name": 1}, NOTHING),
        (OF_NOBODY, {"name": 1}, {"name": 1}),
        (ALL, 5, NOTHING),
        (ALL, "text", NOTHING),
        (ALL, None, NOTHING),
        (ALL, [WITHIN, OUTSIDE, 5], [WITHIN, 5]),
        (ROWS, [WITHIN, OUTSIDE, 5], [WITHIN]),
        (ALL, OUTSIDE, NOTHING),
        (ALL, {**OUTSIDE, "value": []}, NOTHING),
        (ALL, {**WITHIN, "value": [OUTSIDE]}, {**WITHIN, "value": []}),
        (ROWS, WITHIN, WITHIN),
        (ALL, {"value": [WITHIN], "count": 1, "more": 2}, {"value": [WITHIN], "count": 1, "more": 2}),
        (ROWS, {"value": [WITHIN], "count": 1, "more": 2}, {"value": [WITHIN], "count": 1}),
        (ROWS, {"data": [WITHIN, OUTSIDE], "nextLink": "x"}, {"data": [WITHIN], "nextLink": "x"}),
        (ROWS, {"value": [WITHIN], "note": 1, **FURTHER}, {"value": [WITHIN], **FURTHER}),
        (ALL, {"value": {"id": 1}}, {"value": {"id": 1}}),
        # An id without its first slash is one if it is that of a subscription; another text is none.
        (ROWS, [{"id": WITHIN["id"][1:]}], [{"id": WITHIN["id"][1:]}]),
        (ALL, [{"id": OUTSIDE["id"][1:]}, {"id": "some/text"}, {"id": 5}], [{"id": "some/text"}, {"id": 5}]),
        (ALL, [{"id": "/"}, {"ID": OUTSIDE["id"]}, {"id": f" {OUTSIDE['id']}"}], []),
        (ROWS, [{"Id": f"  {WITHIN['id']} "}], [{"Id": f"  {WITHIN['id']} "}]),
        (OF_NOBODY, [{"id": "/providers/a"}, {"id": f"/subscriptions/{LAB}/a"}], [{"id": "/providers/a"}]),
        (OF_NOBODY, [{"id": f"/subscriptions/{SHOP}/a"}, OUTSIDE], [{"id": f"/subscriptions/{SHOP}/a"}]),
        (ROWS, [{"id": DEFINITION, "properties": None}, {"id": DEFINITION, "properties": {}}], []),
        *(
            (ROWS, [{"id": DEFINITION, "properties": inner}], [{"id": DEFINITION, "properties": inner}])
            for inner in ({"type": "BuiltInRole"}, {"policyType": "BuiltIn"}, {"policyType": "STATIC"})
        ),
        (ROWS, [{"id": OUTSIDE["id"], "properties": {"type": "BuiltInRole"}}], []),
        ("/subscriptions", ["text", {"subscriptionId": SHOP}, {"subscriptionId": LAB}], [{"subscriptionId": SHOP}]),
        (
            ALL,
            [{"id": "/providers/Microsoft.ResourceHealth/events/x"}],
            [{"id": "/providers/Microsoft.ResourceHealth/events/x"}],
        ),
        (ROWS, [{"id": "/providers/Microsoft.ResourceHealth/events/x"}], []),
    ],
    ids=lambda value: str(value)[:50],
)
async def test_of_an_answer_only_what_is_within_reach_is_told(path: str, document: Any, told: Any) -> None:
    estate = Fixed()
    estate.answer = AzureAnswer(200, {}, json.dumps(document).encode())
    confined = ConfinedAzure(estate, MANAGER, token, reach(SHOP, f"{SHOP}/web"))
    request = written(f"GET {path}")
    if told == NOTHING:
        with pytest.raises(Refusal, match="Not found, or outside"):
            await confined.send(MANAGER, request, "Bearer token")
    else:
        assert json.loads((await confined.send(MANAGER, request, "Bearer token")).content) == told
