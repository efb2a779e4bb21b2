"""The pages where people decide, signed in through Entra: what they show, what they take, and from whom."""

from __future__ import annotations

import json
import re
import time
from datetime import UTC, datetime
from typing import Any

import anyio
import pytest

from tests.changes.bench import ADA, BEA, BRICK, OTHER, Office, path_in, text_of, ticket_on
from tests.fakes.issuer import USER
from tests.identity.agents import AGENT, BLUEPRINT
from tests.mcp_server.office import behind
from tests.mcp_server.records import Records


async def test_who_asked_agrees_at_the_page_and_the_very_same_call_is_then_done_once(house: Office) -> None:
    path, ada = await house.asked("attic"), house.browser(**ADA)
    page = await ada.visit(path)
    assert page.status == 200
    assert "The door of the attic" in text_of(page)
    assert "Requested by ada@example.com (you), a person" in text_of(page)
    decided = await ada.post(path, {"ticket": ticket_on(page), "decision": "approve", "why": ""})
    assert (decided.status, decided.headers["location"]) == (303, path)
    assert "send the same call again" in text_of(await ada.visit(path))
    assert (await house.client(**ADA).call(BRICK, room="attic"))["content"][0]["text"] == "attic is gone"
    ended = (await house.app.approvals.kept().newest(10))[0].ended
    moment = f"{datetime.fromtimestamp(ended, UTC):%Y-%m-%d %H:%M} UTC"
    assert f"The change was applied at {moment}" in text_of(await ada.visit(path))
    assert "Nothing was done yet" in await house.client(**ADA).told(BRICK, room="attic")


async def test_another_person_approves_what_takes_another(house: Office) -> None:
    path, ada, bea = await house.asked("cellar"), house.browser(**ADA), house.browser(**BEA)
    page = await ada.visit(path)
    assert "This change was requested on your behalf, so another person must decide on it." in text_of(page)
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
    assert "ada@example.com (you), through an agent on their behalf" in text_of(page)
    assert f"through the agent {AGENT}" in text_of(page)
    assert (await house.browser(**BEA).visit(path)).status == 404
    assert (await house.browser(**ADA).decides(path, "approve")).status == 303
    assert not (await house.client(**by_agent).call(BRICK, room="attic"))["isError"]


async def test_to_deny_takes_a_word_why_which_whoever_asked_is_told(house: Office) -> None:
    path, bea = await house.asked("cellar"), house.browser(**BEA)
    wordless = await bea.decides(path, "deny", "  ")
    assert (wordless.status, "Enter a reason" in text_of(wordless)) == (422, True)
    assert (await bea.decides(path, "deny", "Somebody lives there.")).status == 303
    assert "Nothing was done, and the same call is rejected" in text_of(await bea.visit(path))
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
    assert "No recent requests that you can see." in rest
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
