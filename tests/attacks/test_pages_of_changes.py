"""Attacks on the pages where people decide: by other sites and people, forged cookies, odd requests, hostile texts."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, urlencode

import pytest

from mcp_server.http.messages import HttpAnswer
from tests.attacks.deciding import CELLAR, FORM, nothing_is_done, state_of
from tests.changes.bench import (
    ADA,
    BEA,
    BRICK,
    HOST,
    ORIGIN,
    OTHER,
    ROLES,
    Browser,
    Office,
    opened,
    path_in,
    text_of,
    ticket_on,
)
from tests.fakes.issuer import CLIENT, TENANT
from tests.forging import altered
from tests.identity.agents import AGENT, APPLICATION, BLUEPRINT, BY_ITS_ACCOUNT, FOR_A_PERSON, FOR_ITSELF
from tests.mcp_server.office import behind
from tests.sweeps import Sweep

pytestmark = pytest.mark.anyio


# --- who comes

IMPOSTORS: Final[dict[str, dict[str, Any]]] = {
    "an account of an agent": {**BY_ITS_ACCOUNT, "roles": ["Bricklayer"]},
    "an account of an agent with the id of a person": {**BY_ITS_ACCOUNT, "roles": ["Bricklayer"], "oid": OTHER},
    "an agent for a person": {**FOR_A_PERSON, "roles": ["Bricklayer"], "oid": OTHER},
    "an agent for itself": {**FOR_ITSELF, "roles": ["Bricklayer"]},
    "an application": {**APPLICATION, "roles": ["Bricklayer"]},
    "a person by an actor of another issuer": {**BEA, "act": {"sub": AGENT}},
    "a person by an actor that is none": {**BEA, "act": None},
    "a person by two actors": {**BEA, "act": {"sub": AGENT, "act": {"sub": CLIENT}}},
    "a person with a blueprint": {**BEA, "xms_par_app_azp": BLUEPRINT},
    "a person with the facet of an account": {**BEA, "xms_sub_fct": "13"},
    "a person with the facet of an agent": {**BEA, "xms_act_fct": "11"},
    "a person with a facet in capitals": {**BEA, "XMS_SUB_FCT": "13"},
    "a person with a facet that is a number": {**BEA, "xms_sub_fct": 13},
    "a kind of its own": {**BEA, "idtyp": "agent"},
    "somebody of another tenant": {**BEA, "tid": "99999999-0000-4000-8000-000000000009"},
    "somebody for another audience": {**BEA, "aud": "api://another"},
    "somebody without a scope": {**BEA, "scp": "other"},
    "somebody out of time": {**BEA, "exp": 1_000_000_000},
}


@pytest.mark.parametrize("claims", IMPOSTORS.values(), ids=[f"{name} signs in and agrees" for name in IMPOSTORS])
async def test_only_a_person_of_this_place_comes_in(house: Office, claims: dict[str, Any]) -> None:
    path = await house.asked(CELLAR)
    own = {"iss", "tid"} - {"tid" if claims.get("tid") not in (TENANT, None) else ""}
    browser = house.browser(**{name: value for name, value in claims.items() if name not in own})
    page = await browser.visit(path)
    assert page.status in {400, 401, 403}, text_of(page)
    assert b"<textarea" not in page.body
    assert CELLAR not in text_of(page)
    await nothing_is_done(house, path)


NO_DECIDERS: Final[dict[str, dict[str, Any]]] = {
    "ada herself": dict(ADA),
    "ada by another client": {**ADA, "azp": OTHER},
    "ada under another name": {**ADA, "preferred_username": "bea@example.com"},
    "who only reads": {**BEA, "roles": ["Visitor"]},
    "who has another role": {**BEA, "roles": ["Keeper"]},
    "who has no role": {**BEA, "roles": []},
    "who has a role almost called so": {**BEA, "roles": ["bricklayer", "Bricklayer ", "Bricklayers", "all"]},
    "who has the name of a toolset as a role": {**BEA, "roles": ["office", "office-doors"]},
}


@pytest.mark.parametrize("claims", NO_DECIDERS.values(), ids=[f"{name} agrees" for name in NO_DECIDERS])
async def test_nobody_but_another_person_who_may_do_the_same_decides(house: Office, claims: dict[str, Any]) -> None:
    path, bea = await house.asked(CELLAR), house.browser(**BEA)
    good = ticket_on(await bea.visit(path))
    browser = await house.browser(**claims).signed_in()
    page = await browser.visit(path)
    assert b"<textarea" not in page.body
    for ticket in (good, "", *re.findall(r'name="ticket" value="([^"]+)"', page.body.decode())):
        for decision in ("approve", "deny"):
            answer = await browser.post(path, {"ticket": ticket, "decision": decision, "why": "No."})
            assert answer.status in {400, 403, 404}
    await nothing_is_done(house, path)


async def test_a_role_taken_away_by_the_file_between_looking_and_deciding_decides_nothing(tmp_path: Path) -> None:
    """The same browser, ticket and storage; only the roles are read anew."""
    async with opened(tmp_path) as before:
        path, bea = await before.asked(CELLAR), before.browser(**BEA)
        form = {"ticket": ticket_on(await bea.visit(path)), "decision": "approve"}
        narrowed = ROLES.replace("  Bricklayer:\n    office: destroy", "  Bricklayer:\n    office: read")
        (tmp_path / "narrow").mkdir()
        (tmp_path / "narrow" / "roles.yaml").write_text(narrowed, encoding="utf-8")
        async with opened(tmp_path, AUTH_ROLES_FILE=str(tmp_path / "narrow" / "roles.yaml")) as after:
            elsewhere = Browser(after, BEA, cookies=dict(bea.cookies))
            assert (await elsewhere.post(path, form)).status == 404
        assert await state_of(before, path) == "waiting"


async def test_what_is_asked_of_another_by_a_rule_that_changes_meanwhile_is_asked_anew(house: Office) -> None:
    path, bea = await house.asked(CELLAR), house.browser(**BEA)
    assert (await bea.decides(path, "approve")).status == 303
    behind[CELLAR] = "somebody"
    assert "somebody" in await house.client(**ADA).told(BRICK, room=CELLAR)
    assert await state_of(house, path) == "outdated"


# --- from where it is sent

ELSEWHERE: Final = {
    "another site": {"sec_fetch_site": "cross-site", "origin": "https://evil.example"},
    "another site that says it has no origin": {"sec_fetch_site": "cross-site", "origin": "null"},
    "another site without an origin": {"sec_fetch_site": "cross-site", "origin": ""},
    "a site beside": {"sec_fetch_site": "same-site", "origin": f"https://other.{HOST}"},
    "nowhere": {"sec_fetch_site": "none", "origin": ""},
    "a site of before, without a word": {"sec_fetch_site": "", "origin": ""},
    "a site of before, in a frame": {"sec_fetch_site": "", "origin": "null"},
    "a site of before, elsewhere": {"sec_fetch_site": "", "origin": "https://evil.example"},
    "the same host without TLS": {"sec_fetch_site": "", "origin": f"http://{HOST}"},
    "the same host at another port": {"sec_fetch_site": "", "origin": f"{ORIGIN}:8443"},
    "a host that begins alike": {"sec_fetch_site": "", "origin": f"{ORIGIN}.evil.example"},
    "a host that ends alike": {"sec_fetch_site": "", "origin": f"https://evil-{HOST}"},
    "two origins": {"sec_fetch_site": "", "origin": f"{ORIGIN}, https://evil.example"},
    "another site that says it is this one": {"sec_fetch_site": "same-origin", "origin": "https://evil.example"},
    "a word in capitals": {"sec_fetch_site": "SAME-ORIGIN", "origin": "https://evil.example"},
    "two words": {"sec_fetch_site": "same-origin, cross-site"},
}


@pytest.mark.parametrize("headers", ELSEWHERE.values(), ids=[f"a form comes from {name}" for name in ELSEWHERE])
async def test_no_form_from_elsewhere_decides(house: Office, headers: dict[str, str]) -> None:
    path, bea = await house.asked(CELLAR), house.browser(**BEA)
    ticket = ticket_on(await bea.visit(path))
    assert (await bea.post(path, {"ticket": ticket, "decision": "approve"}, **headers)).status == 400
    await nothing_is_done(house, path)


async def test_no_page_may_be_framed_kept_or_read_by_others(house: Office) -> None:
    path, bea, stranger = await house.asked(CELLAR), house.browser(**BEA), house.browser(roles=["Visitor"], oid=OTHER)
    answers: list[HttpAnswer] = [
        await bea.get(path),
        await bea.visit(path),
        await bea.visit("/changes"),
        await stranger.visit(path),
        await bea.post(path, {}),
        await bea.post(path, {"x": "y" * 20_000}),
        await bea.send("PUT", path, b"", {}),
        await bea.get(f"{path}?state"),
    ]
    for answer in answers:
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"], answer.status
        assert answer.headers["x-frame-options"] == "DENY"
        assert answer.headers["cache-control"] == "no-store"
        assert "access-control-allow-origin" not in answer.headers
        assert "unsafe" not in answer.headers["content-security-policy"]


# --- what is sent


def sent(**more: str) -> bytes:
    return urlencode(more).encode()


METHODS: Final = ["PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "CONNECT", "post", "approve"]


@pytest.mark.parametrize("method", METHODS)
async def test_no_other_method_decides(house: Office, method: str) -> None:
    path, bea = await house.asked(CELLAR), house.browser(**BEA)
    ticket = ticket_on(await bea.visit(path))
    answer = await bea.send(method, path, sent(ticket=ticket, decision="approve"), FORM)
    assert answer.status == 405
    await nothing_is_done(house, path)


OVERRIDES: Final = [{"x-http-method-override": "POST"}, {"x-http-method": "POST"}, {"x-method-override": "POST"}]


@pytest.mark.parametrize("headers", OVERRIDES, ids=lambda headers: next(iter(headers)))
async def test_no_look_decides_whatever_comes_with_it(house: Office, headers: dict[str, str]) -> None:
    path, bea = await house.asked(CELLAR), house.browser(**BEA)
    body = sent(ticket=ticket_on(await bea.visit(path)), decision="approve", _method="POST")
    await bea.send("GET", f"{path}?{body.decode()}", body, FORM | headers)
    await nothing_is_done(house, path)


BODIES: Final = {
    "nothing": b"",
    "no ticket": b"decision=approve",
    "an empty ticket": b"ticket=&decision=approve",
    "no decision": b"ticket={ticket}",
    "two decisions": b"ticket={ticket}&decision=deny&decision=approve",
    "two tickets": b"ticket=x&ticket={ticket}&decision=approve",
    "a decision in a list": b"ticket={ticket}&decision[]=approve",
    "a decision in capitals": b"ticket={ticket}&decision=Approve",
    "a decision with a null": b"ticket={ticket}&decision=approve%00",
    "a decision with a line": b"ticket={ticket}&decision=approve%0d%0a",
    "names in capitals": b"TICKET={ticket}&DECISION=approve",
    "semicolons": b"ticket={ticket};decision=approve",
    "no UTF-8": b"ticket={ticket}&decision=approve&why=%ff%fe",
    "bytes that are no text": b"ticket={ticket}&decision=approve&why=\xff",
    "eleven fields": b"ticket={ticket}&decision=approve&" + b"&".join(b"f%d=" % number for number in range(9)),
    "too much": b"ticket={ticket}&decision=approve&why=" + b"x" * 20_000,
    "a reason without end": b"ticket={ticket}&decision=approve&why=" + b"x" * 501,
    "a reason of wide letters without end": b"ticket={ticket}&decision=approve&why=" + quote("\u00e9" * 501).encode(),
    "JSON": b'{"ticket": "{ticket}", "decision": "approve"}',
}


@Sweep("body", BODIES.values(), ids=[f"a form with {name}" for name in BODIES], every=2)
async def test_no_odd_form_decides(house: Office, body: bytes) -> None:
    path, bea = await house.asked(CELLAR), house.browser(**BEA)
    ticket = ticket_on(await bea.visit(path)).encode()
    answer = await bea.send("POST", path, body.replace(b"{ticket}", ticket), FORM)
    assert answer.status in {400, 413}
    assert b"Traceback" not in answer.body
    await nothing_is_done(house, path)


KINDS: Final = [
    "text/plain",
    "multipart/form-data; boundary=x",
    "application/json",
    "",
    "application/x-www-form-urlencoded2",
]


@pytest.mark.parametrize("kind", KINDS)
async def test_no_body_of_another_kind_decides(house: Office, kind: str) -> None:
    path, bea = await house.asked(CELLAR), house.browser(**BEA)
    body = sent(ticket=ticket_on(await bea.visit(path)), decision="approve")
    assert (await bea.send("POST", path, body, {**FORM, "content-type": kind})).status == 400
    await nothing_is_done(house, path)


async def test_no_other_ticket_decides(house: Office) -> None:
    path, other = await house.asked(CELLAR), await house.asked(CELLAR, **{**ADA, "azp": OTHER})
    bea, again = house.browser(**BEA), house.browser(**BEA)
    good = ticket_on(await bea.visit(path))
    forged = {
        "of another change": ticket_on(await bea.visit(other)),
        "of another browser": ticket_on(await again.visit(path)),
        "of the list": ticket_on(await bea.visit("/changes")),
        "that is the cookie": next(iter(bea.cookies.values())),
        "that is a part": good[: len(good) // 2],
        "that is twice": good + good,
        "with another letter": altered(good),
        "with a blank": f" {good}",
    }
    for name, ticket in forged.items():
        answer = await bea.post(path, {"ticket": ticket, "decision": "approve"})
        assert answer.status == 400, name
    await nothing_is_done(house, path)
    # Signing in anew makes another session, whose tickets are others.
    bea.cookies.clear()
    await bea.signed_in()
    assert (await bea.post(path, {"ticket": good, "decision": "approve"})).status == 400


async def test_what_was_looked_at_and_has_been_shown_anew_is_not_decided_by_the_old_page(house: Office) -> None:
    path, bea = await house.asked(CELLAR), house.browser(**BEA)
    form = {"ticket": ticket_on(await bea.visit(path)), "decision": "approve"}
    behind[CELLAR] = "somebody"
    new = path_in(await house.client(**ADA).told(BRICK, room=CELLAR))
    assert (await bea.post(path, form)).status == 409
    assert (await bea.post(new, form)).status == 400
    assert await state_of(house, new) == "waiting"
