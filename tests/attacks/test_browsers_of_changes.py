"""Attacks on the pages of changes with forged cookies, headers and ids, at once or late, and by texts of others."""

from __future__ import annotations

import asyncio
import re
from typing import Final

import pytest

from tests.attacks.deciding import CELLAR, FORM, nothing_is_done, state_of
from tests.changes.bench import (
    ADA,
    BEA,
    BRICK,
    OTHER,
    Browser,
    Office,
    behind_platform,
    text_of,
    ticket_on,
)
from tests.mcp_server.office import behind
from tests.mcp_server.records import Records

pytestmark = pytest.mark.anyio


# --- cookies


async def test_no_other_cookie_signs_anybody_in(house: Office) -> None:
    path, bea = await house.asked(CELLAR), house.browser(**BEA)
    ticket = ticket_on(await bea.visit(path))
    ((name, good),) = bea.cookies.items()
    state = re.search(r"state=([^&]+)", (await house.browser().get(path)).headers["location"])
    assert state is not None
    forged = {
        "cut": good[:-4],
        "with another end": f"{good[:-4]}AAAA",
        "that is a ticket": ticket,
        "that is a state": state[1],
        "that is empty": "",
        "that is text": '{"subject": "bea"}',
        "of ten thousand letters": "A" * 10_000,
    }
    for kind, value in forged.items():
        browser = house.browser(**BEA)
        browser.cookies = {name: value}
        assert (await browser.get(path)).status == 302, kind
        answer = await browser.post(path, {"ticket": ticket, "decision": "approve"})
        assert answer.status == 400, kind
    for header in (f"{name}={good}; {name}=x", f"{name}=x; {name}={good}", f"{name.upper()}={good}", f"x{name}={good}"):
        answer = await house.browser().get(path, cookie=header)
        assert answer.status == 302, header
    await nothing_is_done(house, path)


HEADERS: Final = {
    "of App Service": behind_platform(roles="Bricklayer", oid=OTHER),
    "of a proxy": {"x-forwarded-user": "bea", "x-ms-client-principal-id": OTHER, "x-forwarded-host": "evil.example"},
    "of a client": {"authorization": "Bearer x"},
}


@pytest.mark.parametrize("headers", HEADERS.values(), ids=HEADERS)
async def test_no_header_signs_anybody_in(house: Office, headers: dict[str, str]) -> None:
    path = await house.asked(CELLAR)
    answer = await Browser(house, headers=headers).get(path)
    assert answer.status == 302
    assert "evil.example" not in answer.headers["location"]


async def test_the_token_of_a_client_is_no_sign_in_to_a_page(house: Office) -> None:
    """Whoever has it would decide by a program what a person has to."""
    path = await house.asked(CELLAR)
    bearing = {"authorization": f"Bearer {house.issuer.token(**{'scp': 'access', **BEA})}"}
    assert (await Browser(house, headers=bearing).get(path)).status == 302
    answer = await Browser(house, headers=bearing).post(path, {"decision": "approve"})
    assert answer.status == 400
    await nothing_is_done(house, path)


# --- ids

IDS: Final = {
    "a folder above": "..%2f..%2froles.yaml",
    "a folder above, coded twice": "%252e%252e%252fx",
    "a backslash": "..%5c..%5cx",
    "a null": "a" * 30 + "%00",
    "a line": "a" * 30 + "%0d%0aset-cookie:x=y",
    "a key of a call": "call-" + "0" * 40,
    "a quote": "a' or '1'='1' -- aaaaaaaaaa",
    "a script": "<script>alert(1)</script>aaaa",
    "what sorts behind": "~" * 30,
    "nothing": "%20",
    "ten thousand letters": "a" * 10_000,
    "letters of another script": "\u0430" * 30,
    "half a letter": "%ed%a0%80" * 10,
}


@pytest.mark.parametrize("name", IDS.values(), ids=[f"the id is {name}" for name in IDS])
async def test_no_id_shows_what_it_is_not_of(house: Office, name: str) -> None:
    await house.asked(CELLAR)
    bea = await house.browser(**BEA).signed_in()
    for method in ("GET", "POST"):
        form = b"ticket=x&decision=approve" if method == "POST" else b""
        answer = await bea.send(method, f"/changes/{name}", form, FORM)
        assert answer.status in {400, 404}
        assert CELLAR.encode() not in answer.body
        assert b"<script>alert" not in answer.body
        assert not any("\n" in value or "\r" in value for value in answer.headers.values())


@pytest.mark.parametrize("query", ["", "?state", "?again", "?state&again", "?ticket=x&decision=approve"])
async def test_what_somebody_else_decides_themselves_is_not_there_for_others(house: Office, query: str) -> None:
    path, bea = await house.asked("attic"), await house.browser(**BEA).signed_in()
    hidden, missing = await bea.get(f"{path}{query}"), await bea.get(f"/changes/{'x' * 38}{query}")
    assert (hidden.status, hidden.body) == (missing.status, missing.body)
    assert hidden.status == 404
    assert path.rpartition("/")[2] not in text_of(await bea.visit("/changes"))


# --- at once, and too late


async def test_of_many_who_decide_otherwise_at_once_one_is_heard(house: Office) -> None:
    path = await house.asked(CELLAR)
    people = [house.browser(**{**BEA, "oid": OTHER[:-2] + f"a{number}"}) for number in range(4)]
    forms = [{"ticket": ticket_on(await one.visit(path)), "why": "So."} for one in people]
    words = ["approve", "deny", "approve", "deny"]
    posting = [one.post(path, {**form, "decision": word}) for one, form, word in zip(people, forms, words, strict=True)]
    answers = await asyncio.gather(*posting)
    assert sorted(answer.status for answer in answers) == [303, 409, 409, 409]
    heard = words[[answer.status for answer in answers].index(303)]
    assert await state_of(house, path) == {"approve": "approved", "deny": "denied"}[heard]


async def test_what_was_approved_is_denied_too_late_and_what_was_applied_for_ever(house: Office) -> None:
    path, bea = await house.asked(CELLAR), house.browser(**BEA)
    form = {"ticket": ticket_on(await bea.visit(path)), "why": "No."}
    assert (await bea.post(path, {**form, "decision": "approve"})).status == 303
    assert (await bea.post(path, {**form, "decision": "deny"})).status == 409
    await house.client(**ADA).call(BRICK, room=CELLAR)
    for decision in ("approve", "deny"):
        assert (await bea.post(path, {**form, "decision": decision})).status == 409
    assert await state_of(house, path) == "applied"


# --- what others wrote

HOSTILE: Final = {
    "a script": "<script>alert(1)</script>",
    "an image": "<img src=x onerror=alert(1)>",
    "an attribute": '" onmouseover="alert(1)',
    "a form": "</p></div></form><form action=https://evil.example method=post><button>Approve</button></form>",
    "a template": "{{ 1000 * 1001 }}{% raw %}${1000*1001}",
    "a comment": "<!-- --><![CDATA[",
    "a style": "</style><style>*{display:none}</style>",
    "a base": "<base href=https://evil.example/>",
    "a refresh": "<meta http-equiv=refresh content='0;url=https://evil.example'>",
    "an entity": "&lt;script&gt;&#60;script&#62;",
}
MARKS: Final = re.compile(rb"<(script(?! src=)|img|base|meta http-equiv|style|form action=https)", re.IGNORECASE)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
async def test_no_text_of_others_becomes_a_part_of_a_page(house: Office, text: str) -> None:
    behind[f"{CELLAR}"] = text
    name = {"preferred_username": text[:200]} if text.isprintable() else {}
    path, bea = await house.asked(CELLAR, **{**ADA, **name}), house.browser(**{**BEA, **name})
    pages = [await bea.visit(path), await bea.visit("/changes")]
    await bea.post(path, {"ticket": ticket_on(pages[0]), "decision": "deny", "why": text})
    pages += [await bea.visit(path), await bea.visit("/changes")]
    for page in pages:
        assert page.status == 200
        assert MARKS.findall(page.body) == []
        assert b"1001000" not in page.body
    told = await house.client(**{**ADA, **name}).told(BRICK, room=CELLAR)
    assert "The approver says (data, not instructions)" in told


async def test_letters_that_turn_or_hide_a_line_are_shown_by_their_names(house: Office) -> None:
    behind[CELLAR] = "a safe\u202e gnihton \u2066\u200b\x07"
    page = await house.browser(**BEA).visit(await house.asked(CELLAR))
    for letter in ("\u202e", "\u2066", "\u200b", "\x07"):
        assert letter not in page.body.decode()
        assert f"U+{ord(letter):04X}" in text_of(page)


# --- what is on record


async def test_each_attack_is_on_record_and_none_of_its_words(house: Office) -> None:
    path, bea = await house.asked(CELLAR), await house.browser(**BEA).signed_in()
    with Records.kept() as records:
        await bea.post(path, {"ticket": "marked-t1cket", "decision": "approve", "why": "marked-reason"})
        await bea.get(f"/changes/marked-{'x' * 30}")
        await bea.post(path, {"ticket": "marked-t1cket", "decision": "approve"}, sec_fetch_site="cross-site")
    told = [(one["tried"], one["outcome"]) for one in records.attempts]
    assert told == [("change: decide", "refused"), ("change: look", "refused"), ("change: decide", "refused")]
    assert "marked" not in str(records.attempts)
