"""A decision counts only from a form of our own pages, for its change, browser and person."""

from __future__ import annotations

import pytest

from tests.changes.bench import ADA, BEA, ORIGIN, Office, text_of, ticket_on
from tests.forging import altered
from tests.mcp_server.records import Records


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
    others = [ticket_on(await ada.visit(cellar)), ticket_on(await elsewhere.visit(attic)), "", "x", altered(good)]
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
