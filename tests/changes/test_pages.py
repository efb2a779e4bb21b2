"""The pages where people decide, signed in through Entra: what they show, what they take, and from whom."""

from __future__ import annotations

import json
import re
import time
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import uuid4

import anyio
import pytest
from mcp_types import CLIENT_CAPABILITIES_META_KEY

from tests.changes.bench import ADA, BEA, BRICK, HOST, ORIGIN, OTHER, Office, opened, path_in, text_of, ticket_on
from tests.fakes.issuer import USER
from tests.identity.agents import AGENT, BLUEPRINT
from tests.mcp_server.office import behind
from tests.mcp_server.records import Records


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[Office]:
    behind.clear()
    async with opened(tmp_path) as office:
        yield office
    behind.clear()


async def test_who_asked_agrees_at_the_page_and_the_very_same_call_is_then_done_once(house: Office) -> None:
    path, ada = await house.asked("attic"), house.browser(**ADA)
    page = await ada.visit(path)
    assert page.status == 200
    assert "The door of the attic" in text_of(page)
    assert "Requested by ada@example.com (you), a person" in text_of(page)
    decided = await ada.post(path, {"ticket": ticket_on(page), "decision": "approve", "why": ""})
    assert (decided.status, decided.headers["location"]) == (303, path)
    assert "Send the same call again" in text_of(await ada.visit(path))
    assert (await house.client(**ADA).call(BRICK, room="attic"))["content"][0]["text"] == "attic is gone"
    ended = (await house.app.approvals.kept().newest())[0].ended
    moment = f"{datetime.fromtimestamp(ended, UTC):%Y-%m-%d %H:%M} UTC"
    assert f"It was applied at {moment}" in text_of(await ada.visit(path))
    assert "Nothing was done yet" in await house.client(**ADA).told(BRICK, room="attic")


async def test_another_person_approves_what_takes_another(house: Office) -> None:
    path, ada, bea = await house.asked("cellar"), house.browser(**ADA), house.browser(**BEA)
    page = await ada.visit(path)
    assert "This change was requested on your behalf, so another person must decide it." in text_of(page)
    assert b"<form" not in page.body
    assert (await bea.decides(path, "approve", "We agreed on it.")).status == 303
    shown = text_of(await ada.visit(path))
    assert "Approved by bea@example.com" in shown
    assert "We agreed on it." in shown
    assert (await house.client(**ADA).call(BRICK, room="cellar"))["content"][0]["text"] == "cellar is gone"


@pytest.mark.parametrize(
    ("room", "decider"),
    [
        ("attic", "The requester"),
        ("cellar", "Another person who can make the same change"),
        ("vault", "Another person with the role Keeper, signed in within the last 10 minutes"),
    ],
)
async def test_the_page_and_the_list_say_who_decides(house: Office, room: str, decider: str) -> None:
    path, ada = await house.asked(room), house.browser(**ADA)
    assert f"Approver {decider}" in text_of(await ada.visit(path))
    in_list = decider.partition(",")[0]
    assert f"for {in_list[0].lower()}{in_list[1:]}" in text_of(await ada.visit("/changes"))


async def test_somebody_new_is_not_asked_by_the_authority_to_sign_in_again(house: Office) -> None:
    for path in ("/changes", await house.asked("attic")):
        answer = await house.browser(**ADA).get(path)
        assert answer.status == 302
        assert "max_age" not in answer.headers["location"]


async def test_what_an_agent_asks_for_the_person_for_whom_it_acts_agrees_to_at_the_page(house: Office) -> None:
    by_agent = {**ADA, "azp": AGENT, "xms_act_fct": "11 9", "xms_par_app_azp": BLUEPRINT}
    path = await house.asked("attic", **by_agent)
    page = await house.browser(**ADA).visit(path)
    assert "ada@example.com (you), through an agent that acts for them" in text_of(page)
    assert f"through the agent {AGENT}" in text_of(page)
    assert (await house.browser(**BEA).visit(path)).status == 404
    assert (await house.browser(**ADA).decides(path, "approve")).status == 303
    assert not (await house.client(**by_agent).call(BRICK, room="attic"))["isError"]


async def test_to_deny_takes_a_word_why_which_whoever_asked_is_told(house: Office) -> None:
    path, bea = await house.asked("cellar"), house.browser(**BEA)
    wordless = await bea.decides(path, "deny", "  ")
    assert (wordless.status, "Enter a reason" in text_of(wordless)) == (422, True)
    assert (await bea.decides(path, "deny", "Somebody lives there.")).status == 303
    assert "Nothing was done, and the same call is refused" in text_of(await bea.visit(path))
    assert "Somebody lives there." in await house.client(**ADA).told(BRICK, room="cellar")


async def test_a_reason_has_an_end(house: Office) -> None:
    path, bea = await house.asked("cellar"), house.browser(**BEA)
    answer = await bea.decides(path, "deny", "x" * 501)
    assert (answer.status, "501 characters" in text_of(answer)) == (400, True)
    assert "Waiting" in text_of(await bea.visit(path))


async def test_of_two_decisions_at_once_one_holds(house: Office) -> None:
    path = await house.asked("cellar")
    bea, cleo = house.browser(**BEA), house.browser(**{**BEA, "oid": OTHER.replace("ff", "fe")})
    forms = [(browser, ticket_on(await browser.visit(path))) for browser in (bea, cleo)]
    statuses = []

    async def decide(browser: Any, ticket: str) -> None:
        statuses.append((await browser.post(path, {"ticket": ticket, "decision": "approve"})).status)

    async with anyio.create_task_group() as both:
        for browser, ticket in forms:
            both.start_soon(decide, browser, ticket)
    assert sorted(statuses) == [303, 409]
    assert "Approved" in text_of(await bea.visit(path))


async def test_what_was_decided_is_not_decided_again(house: Office) -> None:
    path, bea = await house.asked("cellar"), house.browser(**BEA)
    form = {"ticket": ticket_on(await bea.visit(path)), "decision": "approve"}
    assert (await bea.post(path, form)).status == 303
    again = await bea.post(path, {**form, "decision": "deny", "why": "No."})
    assert (again.status, "no longer waiting for a decision" in text_of(again)) == (409, True)
    assert "Approved by bea" in text_of(again)


async def test_what_is_out_of_time_is_shown_so_and_takes_no_decision(house: Office) -> None:
    path, bea = await house.asked("cellar"), house.browser(**BEA)
    form = {"ticket": ticket_on(await bea.visit(path)), "decision": "approve"}
    house.app.approvals.kept().clock = lambda: time.time() + 3601
    page = await bea.visit(path)
    assert "Expired" in text_of(page)
    assert b"<form" not in page.body
    assert (await bea.post(path, form)).status == 409


async def test_what_changed_meanwhile_is_outdated_and_shown_anew(house: Office) -> None:
    path, bea = await house.asked("cellar"), house.browser(**BEA)
    await bea.decides(path, "approve")
    behind["cellar"] = "a child"
    told = await house.client(**ADA).told(BRICK, room="cellar")
    assert "a child" in told
    assert "Outdated" in text_of(await bea.visit(path))
    assert "a child" in text_of(await bea.visit(path_in(told)))


async def test_who_may_not_see_a_change_gets_the_very_answer_to_an_id_that_there_is_not(house: Office) -> None:
    path, stranger = await house.asked("attic"), house.browser(roles=["Visitor"], oid=OTHER)
    with Records.kept() as records:
        hidden, missing = await stranger.visit(path), await stranger.visit(f"/changes/{'x' * 30}")
    assert (hidden.status, hidden.body) == (missing.status, missing.body)
    assert (hidden.status, "attic" in text_of(hidden)) == (404, False)
    assert [(one["tried"], one["outcome"]) for one in records.attempts[-2:]] == [
        ("change: look", "denied"),
        ("change: look", "refused"),
    ]
    assert (await stranger.get(f"{path}?state")).status == 404


async def test_not_even_who_may_do_the_same_sees_what_somebody_agrees_to_themselves(house: Office) -> None:
    assert (await house.browser(**BEA).visit(await house.asked("attic"))).status == 404


async def test_the_list_shows_what_waits_what_was_asked_for_and_what_was_decided(house: Office) -> None:
    own, others = await house.asked("attic"), await house.asked("cellar", **BEA)
    decided = await house.asked("cellar", **ADA)
    ada, bea = house.browser(**ADA), house.browser(**BEA)
    await bea.decides(decided, "approve")
    page = (await ada.visit("/changes")).body.decode()
    waiting, mine, rest = (
        page.partition(f'id="{name}"')[2].partition("</section>")[0] for name in ("waiting", "own", "rest")
    )
    assert (own in waiting, others in waiting, decided in mine) == (True, True, True)
    assert "Nothing recent that you can see." in rest
    seen = (await bea.visit("/changes")).body.decode()
    assert (own in seen, decided in seen.partition('id="rest"')[2]) == (False, True)


async def test_the_state_alone_is_told_to_who_looks_again(house: Office) -> None:
    path, ada = await house.asked("attic"), await house.browser(**ADA).signed_in()
    assert json.loads((await ada.get(f"{path}?state")).body) == {"state": "waiting"}
    await ada.decides(path, "approve")
    assert json.loads((await ada.get(f"{path}?state")).body) == {"state": "approved"}
    ada.cookies.clear()
    assert (await ada.get(f"{path}?state")).status == 401


async def test_pages_load_nothing_from_elsewhere_and_are_neither_framed_nor_kept(house: Office) -> None:
    path, ada = await house.asked("attic"), house.browser(**ADA)
    first = await ada.get(path)
    for answer in (first, await ada.visit(path), await ada.visit("/changes"), await ada.visit("/changes/none")):
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["referrer-policy"] == "same-origin"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cross-origin-opener-policy"] == "same-origin"
        assert b"http-equiv" not in answer.body
        assert not re.search(rb"<[^>]* (on\w+|style)=", answer.body)


async def test_files_of_pages_are_named_by_their_content_and_kept_for_ever(house: Office) -> None:
    page = (await house.browser(**ADA).visit(await house.asked("attic"))).body.decode()
    for kind, name in (("text/css", "css"), ("text/javascript", "js")):
        file = re.search(rf"/assets/(?:site|changes)\.[0-9a-f]{{12}}\.{name}", page)
        assert file
        answer = await house.browser().get(file[0])
        assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert answer.headers["content-type"].startswith(kind)
    assert (await house.browser().get("/assets/changes.css")).status == 404
    assert (await house.browser().get("/assets/..")).status == 404


async def test_every_decision_is_on_record_with_who_and_how_and_for_whom(house: Office) -> None:
    path, bea = await house.asked("cellar"), house.browser(**BEA)
    with Records.kept() as records:
        await bea.decides(path, "approve", "fine")
    record = records.attempts[-1]
    assert (record["tried"], record["outcome"], record["subject"]) == ("change: approve", "done", OTHER)
    assert (record["change"], record["decided"], record["by"]) == (path.rpartition("/")[2], "yes", "page")
    assert record["asked_by"].endswith(f"/{USER}")
    assert "fine" not in json.dumps(records.attempts)


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
    assert (answer.status, "Only people can decide changes." in text_of(answer)) == (403, True)
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
    assert "yours does not say when it was. Sign in again." in text_of(await keeper.visit(path))
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
    keeper.of_id_token = instead
    assert b"<textarea" not in (await keeper.visit(f"{path}?again")).body


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
    assert (answer.status, "Sign in again to decide it" in text_of(answer)) == (403, True)


async def test_a_form_of_the_client_is_no_recent_sign_in(house: Office) -> None:
    shows_forms: dict[str, Any] = {CLIENT_CAPABILITIES_META_KEY: {"elicitation": {}}}
    call = {"name": BRICK, "arguments": {"room": "safe"}, "_meta": shows_forms}
    result = await house.client(**ADA, auth_time=int(time.time())).result("tools/call", call)
    path, ada = path_in(result["content"][0]["text"]), house.browser(**ADA, auth_time=int(time.time()))
    assert (result["resultType"], result["isError"]) == ("complete", True)
    assert (await ada.decides(path, "approve")).status == 303
    assert (await house.client(**ADA).call(BRICK, room="safe"))["content"][0]["text"] == "safe is gone"


# What a form has to bring.


@pytest.mark.parametrize(
    "headers",
    [
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
        {"sec_fetch_site": "none"},
        {"sec_fetch_site": "", "origin": ""},
        {"sec_fetch_site": "", "origin": "null"},
        {"sec_fetch_site": "", "origin": "https://evil.example"},
        {"sec_fetch_site": "same-origin", "origin": "https://evil.example"},
        {"sec_fetch_site": "same-origin", "origin": "null"},
        {"sec_fetch_site": "same-origin", "origin": "http://office.example.com"},
        {"content_type": "text/plain"},
        {"content_type": "multipart/form-data; boundary=x"},
        {"content_type": "application/json"},
    ],
)
async def test_a_form_from_elsewhere_decides_nothing(house: Office, headers: dict[str, str]) -> None:
    path, ada = await house.asked("attic"), house.browser(**ADA)
    form = {"ticket": ticket_on(await ada.visit(path)), "decision": "approve"}
    with Records.kept() as records:
        assert (await ada.post(path, form, **headers)).status == 400
    assert (records.attempts[-1]["tried"], records.attempts[-1]["outcome"]) == ("change: decide", "refused")
    assert "Waiting" in text_of(await ada.visit(path))


async def test_a_browser_that_says_its_origin_only_may_decide(house: Office) -> None:
    path, ada = await house.asked("attic"), house.browser(**ADA)
    form = {"ticket": ticket_on(await ada.visit(path)), "decision": "approve"}
    assert (await ada.post(path, form, sec_fetch_site="", origin=ORIGIN)).status == 303


async def test_a_ticket_is_good_for_its_change_browser_and_person_only(house: Office) -> None:
    attic, cellar = await house.asked("attic"), await house.asked("cellar", **BEA)
    ada, elsewhere, bea = house.browser(**ADA), house.browser(**ADA), house.browser(**BEA)
    good = ticket_on(await ada.visit(attic))
    others = [ticket_on(await ada.visit(cellar)), ticket_on(await elsewhere.visit(attic)), "", "x", good[:-2] + "AA"]
    others.append(ticket_on(await ada.visit("/changes")))
    for ticket in others:
        assert (await ada.post(attic, {"ticket": ticket, "decision": "approve"})).status == 400
    await bea.signed_in()
    assert (await bea.post(attic, {"ticket": good, "decision": "approve"})).status == 404
    assert (await ada.post(attic, {"ticket": good, "decision": "approve"})).status == 303


@pytest.mark.parametrize("decision", ["", "yes", "APPROVE", "approve\n"])
async def test_anything_but_the_two_words_is_no_decision(house: Office, decision: str) -> None:
    path, ada = await house.asked("attic"), house.browser(**ADA)
    assert (await ada.decides(path, decision)).status == 400
    assert "Waiting" in text_of(await ada.visit(path))


async def test_a_form_is_bounded_and_says_each_thing_once(house: Office) -> None:
    path, ada = await house.asked("attic"), house.browser(**ADA)
    ticket = ticket_on(await ada.visit(path))
    assert (await ada.post(path, {"ticket": ticket, "decision": "approve", "more": "x" * 20_000})).status == 413
    sent = await ada.send(
        "POST",
        path,
        f"ticket={ticket}&decision=deny&decision=approve".encode(),
        {"content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin"},
    )
    assert sent.status == 400
    many = {f"f{number}": "" for number in range(20)}
    assert (await ada.post(path, {"ticket": ticket, "decision": "approve", **many})).status == 400
    assert "Waiting" in text_of(await ada.visit(path))


async def test_looking_decides_nothing(house: Office) -> None:
    path, ada = await house.asked("attic"), house.browser(**ADA)
    ticket = ticket_on(await ada.visit(path))
    assert (await ada.get(f"{path}?ticket={ticket}&decision=approve")).status == 200
    assert "Waiting" in text_of(await ada.visit(path))


async def test_who_does_not_come_by_this_host_is_told_nothing(house: Office) -> None:
    path, ada = await house.asked("attic"), await house.browser(**ADA).signed_in()
    ada.host = "evil.example"
    assert (await ada.get(path)).status == 421
