"""Signing in to the pages through Entra: sessions, the way back, and recent sign-ins where a rule requires one."""

from __future__ import annotations

import re
import time
from hashlib import sha256
from typing import Any
from uuid import uuid4

import pytest
from mcp_types import CLIENT_CAPABILITIES_META_KEY

from tests.changes.bench import ADA, BEA, BRICK, HOST, Office, path_in, text_of, ticket_on
from tests.identity.agents import AGENT, BLUEPRINT
from tests.mcp_server.records import Records

# What each session is, and nothing else is.


async def test_no_token_is_kept_and_the_browser_cannot_read_what_is(house: Office) -> None:
    ada = house.browser(**ADA)
    answer = await ada.get(f"/callback?{await _back(house, ada)}")
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith("__Host-changes=")
    assert cookie.endswith("; Max-Age=3600; Path=/; HttpOnly; SameSite=Lax; Secure")
    assert len(cookie) < 800
    # A sign-in for a page asks for nothing with which tokens could be renewed.
    asked = [seen for seen in house.issuer.requests if seen.path.endswith("/authorize")]
    assert "offline_access" not in asked[-1].query["scope"]


async def _back(house: Office, browser: Any, path: str = "/changes") -> str:
    """The query with which the authority sends this browser back."""
    where = (await browser.get(path)).headers["location"]
    back: str = await browser.past_the_authority(where)
    return back.partition("?")[2]


async def test_a_sign_in_begun_in_one_browser_ends_in_no_other(house: Office) -> None:
    ada, bea = house.browser(**ADA), house.browser(**BEA)
    await bea.get("/changes")
    answer = await bea.get(f"/callback?{await _back(house, ada)}")
    assert (answer.status, "started in another browser" in text_of(answer)) == (400, True)
    assert (await bea.get("/changes")).status == 302


async def test_a_way_back_leads_once(house: Office) -> None:
    ada = house.browser(**ADA)
    query = await _back(house, ada)
    assert (await ada.get(f"/callback?{query}")).status == 302
    assert (await ada.get(f"/callback?{query}")).status == 400


async def test_who_signs_in_gets_another_session_than_the_browser_had(house: Office) -> None:
    ada = house.browser(**ADA)
    await ada.get("/changes")
    planted = dict(ada.cookies)
    await ada.visit("/changes")
    assert ada.cookies != planted
    assert (await house_with(house, planted).get("/changes")).status == 302


def house_with(house: Office, cookies: dict[str, str]) -> Any:
    browser = house.browser()
    browser.cookies = cookies
    return browser


@pytest.mark.parametrize("name", ["//evil.example", "..", "x\r\nset-cookie: a=b", "https://evil.example", "é" * 30])
async def test_a_sign_in_comes_back_to_a_page_of_changes_only(house: Office, name: str) -> None:
    ada = house.browser(**ADA)
    from mcp_server.http.messages import HttpRequest  # noqa: PLC0415

    request = HttpRequest("GET", f"/changes/{name}", {"host": HOST}, b"")
    answer = await house.pages.change(request, name)
    ada.cookies["__Host-changes"] = answer.headers["set-cookie"].partition(";")[0].partition("=")[2]
    back = await ada.get(await ada.past_the_authority(answer.headers["location"]))
    assert re.fullmatch(r"/changes/[\w.%-]*", back.headers["location"], re.ASCII)


AGENTS = {
    "an application": {"idtyp": "app", "scp": None},
    "an agent for a person": {"azp": AGENT, "xms_act_fct": "11 9", "xms_par_app_azp": BLUEPRINT},
    "an account of an agent": {
        "azp": AGENT,
        "xms_act_fct": "11 9",
        "xms_sub_fct": "13 3",
        "xms_par_app_azp": BLUEPRINT,
    },
    "an actor": {"act": {"sub": "someone"}},
}


@pytest.mark.parametrize("claims", AGENTS.values(), ids=AGENTS)
async def test_only_a_person_signs_in(house: Office, claims: dict[str, Any]) -> None:
    given = {**ADA, **claims}
    without = [name for name, value in given.items() if value is None]
    browser = house.browser(**{name: value for name, value in given.items() if value is not None}, without=without)
    if "idtyp" in claims:
        browser.claims = {**browser.claims, "without": ["scp"], "oid": "c11e7000-0000-4000-8000-000000000002"}
    with Records.kept() as records:
        answer = await browser.visit("/changes")
    assert (answer.status, "Only people can decide on changes." in text_of(answer)) == (403, True)
    assert (records.attempts[-1]["tried"], records.attempts[-1]["outcome"]) == ("changes: sign in", "denied")
    assert (await browser.get("/changes")).status == 302


async def test_a_token_for_something_else_signs_nobody_in(house: Office) -> None:
    answer = await house.browser(**ADA, aud="another").visit("/changes")
    assert (answer.status, "for another resource" in text_of(answer)) == (401, True)


async def test_more_roles_than_a_browser_keeps_are_told_of(house: Office) -> None:
    many = [sha256(bytes([number])).hexdigest() for number in range(150)]
    answer = await house.browser(roles=many).visit("/changes")
    assert (answer.status, "too many roles to store in a browser cookie" in text_of(answer)) == (400, True)


async def test_who_says_no_at_the_authority_is_told_so(house: Office) -> None:
    house.page.failure = {"error": "access_denied"}
    answer = await house.browser(**ADA).visit("/changes")
    assert (answer.status, "You have not signed in" in text_of(answer)) == (400, True)


async def test_an_authority_that_declines_the_code_is_told_of(house: Office) -> None:
    house.page.token_failure = {"error": "invalid_grant", "error_description": "AADSTS70008: It has expired. More"}
    answer = await house.browser(**ADA).visit("/changes")
    assert (answer.status, "AADSTS70008: It has expired." in text_of(answer)) == (400, True)


async def test_who_signs_out_signs_in_anew(house: Office) -> None:
    ada = await house.browser(**ADA).signed_in()
    form = {"ticket": ticket_on(await ada.visit("/changes"))}
    assert (await ada.post("/changes", form, sec_fetch_site="cross-site")).status == 400
    assert (await ada.post("/changes", form)).status == 200
    assert (await ada.get("/changes")).status == 302


async def test_a_bridge_step_is_none_of_a_page_and_the_other_way_round(house: Office) -> None:
    ada = house.browser(**ADA)
    answer = await ada.get("/callback?state=forged&code=x")
    assert b"This sign-in cannot continue" in answer.body  # as the bridge says it


# A recent sign-in, where a rule asks for one.

KEEPER = {**BEA, "roles": ["Keeper"]}


async def test_a_rule_that_wants_a_recent_sign_in_has_who_decides_sign_in_again(house: Office) -> None:
    path = await house.asked("vault")
    keeper = house.browser(**KEEPER, auth_time=int(time.time()) - 3600)
    page = await keeper.visit(path)
    assert "a sign-in within the last 10 minutes." in text_of(page)
    assert b"<textarea" not in page.body
    keeper.claims = {**KEEPER, "auth_time": int(time.time())}
    again = await keeper.visit(f"{path}?again")
    asked = [seen for seen in house.issuer.requests if seen.path.endswith("/authorize")]
    assert (asked[-1].query["prompt"], asked[-1].query["max_age"]) == ("login", "0")
    form = {"ticket": ticket_on(again), "decision": "approve"}
    assert (await keeper.post(path, form)).status == 303
    assert (await house.client(**ADA).call(BRICK, room="vault"))["content"][0]["text"] == "vault is gone"


async def test_without_auth_time_in_access_tokens_a_fresh_sign_in_counts_by_its_id_token(house: Office) -> None:
    path, keeper = await house.asked("vault"), house.browser(**KEEPER)
    assert "your token does not say when you signed in. Sign in again." in text_of(await keeper.visit(path))
    again = await keeper.visit(f"{path}?again")
    assert (await keeper.post(path, {"ticket": ticket_on(again), "decision": "approve"})).status == 303


@pytest.mark.parametrize(
    "instead",
    [{"oid": str(uuid4())}, {"aud": str(uuid4())}, {"auth_time": "now"}, {"auth_time": 1}, {"tid": str(uuid4())}],
)
async def test_an_id_token_of_somebody_else_or_for_somebody_else_is_no_recent_sign_in(
    house: Office, instead: dict[str, Any]
) -> None:
    path, keeper = await house.asked("vault"), house.browser(**KEEPER)
    await keeper.visit(path)
    keeper.of_id_token = instead
    assert b"<textarea" not in (await keeper.visit(f"{path}?again")).body
    keeper.of_id_token = {}
    assert b"<textarea" in (await keeper.visit(f"{path}?again")).body


@pytest.mark.parametrize("when", [{}, {"auth_time": 1}])
async def test_a_form_is_no_way_round_a_recent_sign_in(house: Office, when: dict[str, int]) -> None:
    path, keeper = await house.asked("vault"), house.browser(**KEEPER, auth_time=int(time.time()))
    form = {"ticket": ticket_on(await keeper.visit(path)), "decision": "approve"}
    keeper.cookies.clear()
    keeper.claims = {**KEEPER, **when}
    assert "Sign in again" in text_of(await keeper.visit(path))
    answer = await keeper.post(path, form)
    assert answer.status == 400  # another session


async def test_a_sign_in_that_grows_old_while_the_page_is_read_does_not_count(house: Office) -> None:
    path, keeper = await house.asked("vault"), house.browser(**KEEPER, auth_time=int(time.time()))
    form = {"ticket": ticket_on(await keeper.visit(path)), "decision": "approve"}
    house.app.approvals.kept().clock = lambda: time.time() + 601
    answer = await keeper.post(path, form)
    assert (answer.status, "Sign in again to decide on this change" in text_of(answer)) == (403, True)


async def test_a_form_of_the_client_is_no_recent_sign_in(house: Office) -> None:
    shows_forms: dict[str, Any] = {CLIENT_CAPABILITIES_META_KEY: {"elicitation": {}}}
    call = {"name": BRICK, "arguments": {"room": "safe"}, "_meta": shows_forms}
    result = await house.client(**ADA, auth_time=int(time.time())).result("tools/call", call)
    path, ada = path_in(result["content"][0]["text"]), house.browser(**ADA, auth_time=int(time.time()))
    assert (result["resultType"], result["isError"]) == ("complete", True)
    assert (await ada.decides(path, "approve")).status == 303
    assert (await house.client(**ADA).call(BRICK, room="safe"))["content"][0]["text"] == "safe is gone"
