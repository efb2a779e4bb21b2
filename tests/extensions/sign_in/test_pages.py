"""The page at which people sign in at an extension: what it shows and takes, from whom, and what calls say of it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode, urlsplit

import pytest
from aiohttp import web
from mcp_types import CLIENT_CAPABILITIES_META_KEY

from mcp_server.http import rest
from mcp_server.http.messages import HttpAnswer
from refusal import Refusal
from tests.changes.bench import (
    HOST,
    ORIGIN,
    Browser,
    at_app_service,
    at_the_laptop,
    behind_platform,
    in_mode_platform,
    text_of,
    ticket_on,
)
from tests.extensions.sign_in.counter import ADA, BEA, CONSENT, PATH, Counter, back_from, counter
from tests.fakes.issuer import TENANT
from tests.fakes.oauth import back
from tests.identity.agents import AGENT, BLUEPRINT
from tests.mcp_server.caller import LEGACY, Caller
from tests.mcp_server.records import Records

PAGE: Final = f"{ORIGIN}{PATH}"
BEGIN: Final = "begin"


@pytest.fixture
async def stage(tmp_path: Path) -> AsyncIterator[Counter]:
    async with counter(tmp_path) as opened:
        yield opened


@pytest.fixture
async def let_in(stage: Counter) -> Counter:
    await stage.let_in()
    return stage


async def echoed(client: Caller) -> str:
    answer = await client.call("stage_echo", text="x")
    said: str = answer["content"][-1]["text"]
    return said


async def test_who_is_told_to_sign_in_does_so_on_the_page_and_the_same_call_is_done(let_in: Counter) -> None:
    ada, client = let_in.office.browser(**ADA), let_in.office.client(**ADA)
    told = await client.call("stage_echo", text="x")
    assert (told["isError"], told["structuredContent"]) == (True, {"page": PAGE})
    assert f"Nothing was done yet. Open {PAGE} in a browser, sign in to the extension 'stage', and send" in str(told)
    page = await ada.visit(PATH)
    assert (page.status, "Signed in not yet" in text_of(page)) == (200, True)
    leaving = await let_in.begun(ada)
    assert "Continue to 127.0.0.1" in text_of(leaving)
    assert "yes, last renewed" in text_of(await ada.visit(await let_in.agreed(leaving)))
    assert await echoed(client) == "done"


async def test_a_client_that_opens_addresses_is_asked_to_once(let_in: Counter) -> None:
    client = let_in.office.client(**ADA)
    meta: Any = {CLIENT_CAPABILITIES_META_KEY: {"elicitation": {"url": {}}}}
    call = {"name": "stage_echo", "arguments": {"text": "x"}, "_meta": meta}
    asked = await client.result("tools/call", call)
    (question,) = asked["inputRequests"].values()
    assert (question["params"]["mode"], question["params"]["url"]) == ("url", PAGE)
    again = {**call, "requestState": asked["requestState"], "inputResponses": {"page": {"action": "accept"}}}
    assert PAGE in (await client.result("tools/call", again))["content"][0]["text"]
    await let_in.signed_in(let_in.office.browser(**ADA))
    assert (await client.result("tools/call", again))["content"][-1]["text"] == "done"


async def test_older_clients_and_programs_are_told_the_address(let_in: Counter) -> None:
    client = let_in.office.client(**ADA)
    old = Caller(client.endpoint, "all", client.headers, era=LEGACY)
    assert PAGE in await old.told("stage_echo", text="x")
    body = json.dumps({"text": "x"}).encode()
    headers = {**client.headers, "content-type": "application/json", "content-length": str(len(body))}
    request = let_in.office.request("POST", "/tools/stage_echo", headers, body)
    answer = await rest.call_tool(client.endpoint, request, "stage_echo")
    assert (answer.status, PAGE in json.loads(answer.body)["detail"]) == (403, True)


async def test_nobody_has_the_sign_in_of_another(let_in: Counter) -> None:
    await let_in.signed_in(let_in.office.browser(**ADA))
    assert PAGE in await let_in.office.client(**BEA).told("stage_echo", text="x")
    assert "not yet" in text_of(await let_in.office.browser(**BEA).visit(PATH))
    await let_in.signed_in(let_in.office.browser(**BEA))
    assert [await echoed(let_in.office.client(**who)) for who in (ADA, BEA)] == ["done"] * 2
    assert let_in.peer.subjects() == 3


async def test_an_agent_is_not_sent_to_a_page(let_in: Counter) -> None:
    await let_in.signed_in(let_in.office.browser(**ADA))
    agent = {**ADA, "azp": AGENT, "xms_act_fct": "11 9", "xms_par_app_azp": BLUEPRINT}
    told = await let_in.office.client(**agent).told("stage_echo", text="x")
    assert ("Only a person can sign in" in told, PAGE in told) == (True, False)
    assert (await let_in.office.browser(**agent).visit(PATH)).status == 403


async def test_who_looks_after_extensions_is_told_who_is_signed_in(stage: Counter) -> None:
    director = {**ADA, "roles": ["Director"]}
    client = stage.office.client(**director)
    (told,) = (await client.call("list_extensions"))["structuredContent"]["extensions"]
    assert told["signedIn"] == f"no; sign in at {PAGE}"
    assert PAGE in await client.told("update_extension", name="stage")
    await stage.signed_in(stage.office.browser(**director))
    (told,) = (await client.call("list_extensions"))["structuredContent"]["extensions"]
    assert told["signedIn"].startswith("yes, last renewed 20")


async def test_to_sign_out_on_the_page_ends_it_at_the_issuer_too(let_in: Counter) -> None:
    ada = let_in.office.browser(**ADA)
    page = await let_in.signed_in(ada)
    with Records.kept() as records:
        out = await ada.post(PATH, {"ticket": ticket_on(page), "decision": "sign-out"})
    assert "The issuer confirmed that your sign-in is revoked." in text_of(out)
    assert "not yet" in text_of(out)
    assert [one["tried"] for one in records.attempts] == ["extension: sign out"]
    assert let_in.peer.issuer.families[-1].is_void
    assert PAGE in await let_in.office.client(**ADA).told("stage_echo", text="x")
    again = await ada.post(PATH, {"ticket": ticket_on(out), "decision": "sign-out"})
    assert "You were not signed in." in text_of(again)


async def test_to_sign_out_by_the_tool_ends_ones_own(let_in: Counter) -> None:
    director = {**ADA, "roles": ["Director"]}
    client = let_in.office.client(**director)
    await let_in.signed_in(let_in.office.browser(**director))
    await let_in.signed_in(let_in.office.browser(**BEA))
    let_in.peer.issuer.instead[f"{let_in.peer.issuer.login}/tenant/revoke"] = _status(503)
    ended = (await client.call("sign_out_extension", name="stage"))["structuredContent"]
    assert (ended["signedOut"], ended["voidAtIssuer"]) == (True, False)
    assert "Revoke the sign-in at the issuer" in ended["note"]
    ended = (await client.call("sign_out_extension", name="stage"))["structuredContent"]
    assert ended["note"] == "You were not signed in."
    assert await echoed(let_in.office.client(**BEA)) == "done"


def _status(status: int) -> Callable[[web.Request], Any]:
    async def answer(_request: web.Request) -> web.Response:
        return web.Response(status=status, text="<b>what-the-issuer-says</b>")

    return answer


async def test_who_may_not_use_it_gets_the_very_answer_to_a_name_that_there_is_not(stage: Counter) -> None:
    stranger = stage.office.browser(roles=["Visitor"])
    hidden, missing = await stranger.visit(PATH), await stranger.visit("/extensions/nothing")
    assert (hidden.status, hidden.body) == (missing.status, missing.body)
    assert (hidden.status, "stage" in text_of(hidden)) == (404, False)
    ticket = ticket_on(await stage.office.browser(**ADA).visit(PATH))
    assert (await stranger.post(PATH, {"ticket": ticket, "decision": BEGIN})).status == 404
    assert stage.peer.issuer.asked == []


async def test_who_is_no_longer_signed_in_here_begins_nothing(stage: Counter) -> None:
    form = {"ticket": ticket_on(await stage.office.browser(**ADA).visit(PATH)), "decision": BEGIN}
    answer = await stage.office.browser(**ADA).post(PATH, form)
    assert (answer.status, "You are no longer signed in to this server" in text_of(answer)) == (400, True)
    assert stage.peer.issuer.asked == []


@pytest.mark.parametrize("told", [{"origin": "https://evil.example"}, {"sec_fetch_site": "cross-site"}])
async def test_no_other_site_begins_a_sign_in(stage: Counter, told: dict[str, str]) -> None:
    ada = stage.office.browser(**ADA)
    form = {"ticket": ticket_on(await ada.visit(PATH)), "decision": BEGIN}
    assert (await ada.post(PATH, form, **told)).status == 400
    assert stage.peer.issuer.asked == []


@pytest.mark.parametrize("decision", ["", "approve", "BEGIN", "begin,sign-out"])
async def test_nothing_else_is_taken(stage: Counter, decision: str) -> None:
    ada = stage.office.browser(**ADA)
    answer = await ada.post(PATH, {"ticket": ticket_on(await ada.visit(PATH)), "decision": decision})
    assert (answer.status, "begin or sign-out" in text_of(answer)) == (400, True)


async def test_a_ticket_is_for_one_person_one_browser_and_one_page(stage: Counter) -> None:
    ada, bea, elsewhere = (stage.office.browser(**who) for who in (ADA, BEA, ADA))
    await elsewhere.signed_in()
    others = [ticket_on(await bea.visit(PATH)), ticket_on(await elsewhere.visit("/changes")), "", "x"]
    await ada.signed_in()
    for ticket in others:
        assert (await ada.post(PATH, {"ticket": ticket, "decision": BEGIN})).status == 400
    assert stage.peer.issuer.asked == []
    mine = ticket_on(await ada.visit(PATH))
    assert (await ada.post("/changes", {"ticket": mine})).status == 400


async def test_who_comes_back_in_another_browser_or_as_somebody_else_is_not_signed_in(stage: Counter) -> None:
    ada, bea, elsewhere = (stage.office.browser(**who) for who in (ADA, BEA, ADA))
    for browser in (bea, elsewhere):
        await browser.visit(PATH)
    path = await stage.agreed(await stage.begun(ada))
    for browser in (bea, elsewhere, stage.office.browser(**ADA)):
        answer = await browser.get(path)
        assert answer.status in {400, 409}
        assert any(words in text_of(answer) for words in ("another browser", "You are no longer signed in"))
    assert stage.peer.issuer.grants == []
    assert "yes, last renewed" in text_of(await ada.visit(path))


async def test_a_way_back_is_good_once(stage: Counter) -> None:
    ada = stage.office.browser(**ADA)
    path = await stage.agreed(await stage.begun(ada))
    assert "yes, last renewed" in text_of(await ada.visit(path))
    again = await ada.visit(path)
    assert (again.status, "was already used" in text_of(again)) == (409, True)
    assert "yes, last renewed" in text_of(again)
    assert len(stage.peer.issuer.grants) == 1


async def test_of_two_tabs_the_later_one_counts(stage: Counter) -> None:
    ada = stage.office.browser(**ADA)
    paths = [await stage.agreed(await stage.begun(ada)) for _ in range(2)]
    assert (await ada.visit(paths[0])).status == 409
    assert "yes, last renewed" in text_of(await ada.visit(paths[1]))


BACK: Final[dict[str, Callable[[dict[str, str]], dict[str, str]]]] = {
    "denied": lambda told: {
        "state": told["state"],
        "iss": told["iss"],
        "error": "access_denied",
        "error_description": "<script>x</script>",
    },
    "of another issuer": lambda told: {**told, "iss": "https://evil.example"},
    "without who it is of": lambda told: {"state": told["state"], "code": told["code"]},
    "no code": lambda told: {"state": told["state"], "iss": told["iss"]},
    "a code of the attacker": lambda told: {**told, "code": "stolen"},
    "a long code": lambda told: {**told, "code": "x" * 5000},
}


@pytest.mark.parametrize("brought", BACK.values(), ids=BACK)
async def test_what_is_no_sign_in_is_told_on_the_page_and_can_be_begun_again(
    stage: Counter, brought: Callable[[dict[str, str]], dict[str, str]]
) -> None:
    ada = stage.office.browser(**ADA)
    location = await stage.at_issuer(await stage.begun(ada))
    answer = await ada.visit(f"{urlsplit(location).path}?{urlencode(brought(back(location)))}")
    assert (answer.status, b"script" in answer.body, "not yet" in text_of(answer)) == (409, False, True)
    ticket = ticket_on(answer)
    leaving = await ada.post(PATH, {"ticket": ticket, "decision": BEGIN})
    assert "yes, last renewed" in text_of(await ada.visit(await stage.agreed(leaving)))


@pytest.mark.parametrize("state", ["", "x", "state=1&state=2"])
async def test_a_state_that_is_not_ours_leads_nowhere(stage: Counter, state: str) -> None:
    ada = await stage.office.browser(**ADA).signed_in()
    answer = await ada.get(f"/extension-callback?code=x&state={state}")
    assert (answer.status, "Nothing was changed" in text_of(answer)) == (400, True)


async def test_an_issuer_that_is_away_or_unfit_is_told_on_the_page(stage: Counter) -> None:
    ada, issuer = stage.office.browser(**ADA), stage.peer.issuer
    issuer.instead[f"{issuer.login}/.well-known/oauth-authorization-server/tenant"] = _status(503)
    begun = await stage.begun(ada)
    assert (begun.status, "without metadata" in text_of(begun)) == (409, True)
    assert b"what-the-issuer-says" not in begun.body
    issuer.instead.clear()
    issuer.about_issuer = {"authorization_endpoint": "javascript:alert(1)"}
    begun = await stage.begun(ada)
    assert (begun.status, b"javascript:" in begun.body) == (409, False)


async def test_a_token_that_the_server_does_not_take_any_more_leads_to_the_page_again(let_in: Counter) -> None:
    ada, client = let_in.office.browser(**ADA), let_in.office.client(**ADA)
    await let_in.signed_in(ada)
    assert await echoed(client) == "done"
    for family in let_in.peer.issuer.families:
        family.is_void = True
    assert PAGE in await client.told("stage_echo", text="x")
    let_in.peer.issuer.families.clear()
    await let_in.signed_in(ada)
    assert await echoed(client) == "done"


async def test_what_is_said_of_an_extension_is_text(tmp_path: Path) -> None:
    odd = "'<script>alert(1)</script> \\u202eevil'"
    more = CONSENT.replace("consent}", f"consent, scope: {odd}}}")
    with pytest.raises(Refusal, match="must be one line of"):
        async with counter(tmp_path, more.replace("'", '"')):
            raise AssertionError
    async with counter(tmp_path, more.replace(" \\u202eevil", "")) as there:
        page = await there.office.browser(**ADA).visit(PATH)
    assert "<script>alert(1)</script>" in text_of(page)
    assert b"<script>alert" not in page.body
    assert "form-action 'self'" in page.headers["content-security-policy"]
    assert page.headers["cache-control"] == "no-store"


async def test_it_publishes_what_it_is_as_a_client(stage: Counter) -> None:
    answer = await stage.office.browser().get("/extension-client.json")
    document = json.loads(answer.body)
    assert (answer.status, document["client_id"]) == (200, f"{ORIGIN}/extension-client.json")
    assert document["redirect_uris"] == [f"{ORIGIN}/extension-callback"]
    assert "secret" not in answer.body.decode()


async def test_on_a_laptop_whoever_sits_there_signs_in(tmp_path: Path) -> None:
    async with counter(tmp_path, **at_the_laptop) as there:
        client = Caller(there.office.app.endpoint, "all")
        page = f"http://localhost:7071{PATH}"
        assert page in await client.told("update_extension", name="stage")
        browser = Browser(there.office, host="localhost:7071")
        begun = await there.begun(browser)
        assert "yes, last renewed" in text_of(await browser.visit(await there.agreed(begun)))
        assert not (await client.agreed("update_extension", name="stage"))["isError"]
        assert await echoed(client) == "done"
        assert (await Browser(there.office, host=HOST).get(PATH)).status == 400


async def test_behind_app_service_its_sign_in_comes_first(tmp_path: Path) -> None:
    async with counter(tmp_path, AUTH_ALLOWED_TENANTS=TENANT, **in_mode_platform) as there:
        answer = await Browser(there.office).get(PATH)
        assert answer.headers["location"] == "/.auth/login/aad?post_login_redirect_uri=%2Fextensions%2Fstage"
        ada = at_app_service(there.office, roles="Director")
        assert "yes, last renewed" in text_of(await there.signed_in(ada))
        caller = Caller(there.office.app.endpoint, "all", {"host": HOST, **behind_platform(roles="Director")})
        assert not (await caller.agreed("update_extension", name="stage"))["isError"]
        assert await echoed(caller) == "done"
        assert (await Browser(there.office).get("/extension-client.json")).status == 200


@pytest.mark.parametrize(
    "mode", [{"AUTH_BRIDGE_CLIENT_ID": ""}, {"AUTH_MODE": "none", "AZURE_FUNCTIONS_ENVIRONMENT": "Production"}]
)
async def test_where_nobody_can_sign_in_to_a_page_the_entry_is_a_mistake(tmp_path: Path, mode: dict[str, str]) -> None:
    with pytest.raises(
        Refusal, match=r"The extension 'stage' requires users to sign in on a page\. Users cannot sign in"
    ):
        async with counter(tmp_path, **mode):
            raise AssertionError


async def test_a_wrong_method_is_told(stage: Counter) -> None:
    answer: HttpAnswer = await stage.office.browser(**ADA).send("DELETE", PATH, b"", {})
    assert (answer.status, answer.headers["allow"]) == (405, "GET, POST")


async def test_codes_are_bound_to_where_they_were_asked_for(stage: Counter) -> None:
    ada = stage.office.browser(**ADA)
    first = await stage.begun(ada)
    stolen = back(await stage.at_issuer(first))["code"]
    there = await stage.at_issuer(await stage.begun(ada))
    own = back(there)
    answer = await ada.visit(f"{urlsplit(there).path}?{urlencode({**own, 'code': stolen})}")
    assert (answer.status, "not yet" in text_of(answer)) == (409, True)


@pytest.mark.parametrize("path", ["/extension-callback", "/extension-callback/stage/x", "/extension-callback/other/{}"])
async def test_a_code_that_comes_to_the_address_of_another_issuer_goes_nowhere(stage: Counter, path: str) -> None:
    ada = stage.office.browser(**ADA)
    location = await stage.at_issuer(await stage.begun(ada))
    came_to = path.format(urlsplit(location).path.rpartition("/")[2])
    answer = await ada.visit(f"{came_to}?{urlsplit(location).query}")
    assert (answer.status, "Nothing was changed" in text_of(answer)) == (400, True)
    assert stage.peer.issuer.grants == []
    assert "yes, last renewed" in text_of(await ada.visit(back_from(location)))
