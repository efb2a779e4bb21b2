"""Attacks through the browser of somebody else, and by what others write on the page."""

from __future__ import annotations

from secrets import token_urlsafe

import pytest

from identity.bridge.browsers import Browser
from identity.seals import Seals
from tests.identity.bridge.bench import (
    LOOPBACK,
    ORIGIN,
    REDIRECT,
    Bench,
    authorize_url,
    callback_of,
    consent_on,
    next_address,
    offered,
    told,
)

pytestmark = pytest.mark.anyio


async def test_one_person_cannot_finish_what_another_began(bench: Bench) -> None:
    victim, attacker = await bench.person(), await bench.person()
    client_id = await bench.register()
    await bench.signed_in(client_id, victim)  # so that the victim has a cookie of its own
    callback = await callback_of(bench, attacker, client_id)
    for person in (victim, await bench.person()):
        refused = await person.http.get(callback)
        assert (refused.status_code, "location" in refused.headers) == (400, False)
        assert "started in another browser" in refused.text
    assert (await attacker.http.get(callback)).status_code == 302


async def test_one_person_cannot_be_made_to_send_the_form_of_another(bench: Bench) -> None:
    victim, attacker = await bench.person(), await bench.person()
    client_id = await bench.register()
    await victim.visit(authorize_url(client_id))
    page = await attacker.visit(authorize_url(client_id))
    for person in (victim, await bench.person()):
        assert (await person.answer(page, "approve")).status_code == 400


async def test_one_person_can_sign_in_to_two_clients_at_once(bench: Bench) -> None:
    person = await bench.person()
    first, second = [await person.visit(authorize_url(await bench.register())) for _ in range(2)]
    for page in (first, second):
        assert "code" in told(await person.answer(page, "approve"))


async def test_consent_is_given_by_the_form_only(bench: Bench) -> None:
    person = await bench.person()
    page = await person.visit(authorize_url(await bench.register()))
    fields = {"consent": consent_on(page), "decision": "approve"}
    assert (await person.http.get(f"{ORIGIN}/authorize", params=fields)).status_code == 400
    assert (await person.http.post(f"{ORIGIN}/authorize", params=fields)).status_code == 400
    assert (await person.http.post(f"{ORIGIN}/authorize", json=fields)).status_code == 400
    assert (await person.http.post(f"{ORIGIN}/authorize", data={"decision": "approve"})).status_code == 400
    assert (await person.answer(page, "approve")).status_code == 302


@pytest.mark.parametrize("decision", ["", "deny", "Approve", "yes"])
async def test_whatever_is_not_yes_is_no(bench: Bench, decision: str) -> None:
    person = await bench.person()
    page = await person.visit(authorize_url(await bench.register()))
    refused = await person.answer(page, decision)
    assert (next_address(refused), refused.headers.get("refresh")) == (None, None)
    assert offered(refused).startswith(f"{REDIRECT}?error=access_denied&")


@pytest.mark.parametrize("site", ["cross-site", "same-site", "none"])
async def test_the_form_on_another_site_is_refused(bench: Bench, site: str) -> None:
    person = await bench.person()
    page = await person.visit(authorize_url(await bench.register()))
    assert (await person.answer(page, "approve", **{"Sec-Fetch-Site": site})).status_code == 400
    assert (await person.answer(page, "approve", **{"Sec-Fetch-Site": "same-origin"})).status_code == 302


@pytest.mark.parametrize(
    "told",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "https://evil.example", "Sec-Fetch-Site": "same-origin"},
        {"Origin": f"{ORIGIN}.evil.example"},
        {"Origin": ORIGIN.replace("https", "http")},
        {"Origin": f"{ORIGIN}:8443"},
        {"Origin": "null", "Sec-Fetch-Site": "cross-site"},
        {"Origin": ""},
    ],
    ids=str,
)
async def test_the_form_of_another_origin_is_refused(bench: Bench, told: dict[str, str]) -> None:
    person = await bench.person()
    page = await person.visit(authorize_url(await bench.register()))
    assert (await person.answer(page, "approve", **told)).status_code == 400
    # Browsers tell `null` for a page without a referrer, and that it is the same site.
    own = {"Origin": "null", "Sec-Fetch-Site": "same-origin"}
    assert (await person.answer(page, "approve", **own)).status_code == 302
    assert (await person.answer(page, "approve", Origin=ORIGIN)).status_code == 302


@pytest.mark.parametrize("redirect", [REDIRECT, LOOPBACK, "cursor://anysphere.cursor-mcp/oauth/callback"])
@pytest.mark.parametrize("state", ["of the client", "of a stranger"])
async def test_what_was_allowed_before_is_asked_about_again(bench: Bench, redirect: str, state: str) -> None:
    client_id, person = await bench.register(redirect), await bench.person()
    await bench.signed_in(client_id, person, redirect_uri=redirect)
    again = await person.visit(authorize_url(client_id, redirect_uri=redirect, state=state))
    assert (again.status_code, next_address(again)) == (200, None)
    assert "code" in told(await person.answer(again, "approve"))


async def test_a_cookie_of_ones_own_making_is_none(bench: Bench) -> None:
    client_id, person = await bench.register(), await bench.person()
    for value in (
        "",
        "x",
        client_id,
        Seals(["another key, that is not the key of this bridge"]).seal(Browser("id")),
    ):
        page = await person.visit(authorize_url(client_id), headers={"Cookie": f"__Host-sign-in={value}"})
        assert page.headers["set-cookie"].startswith("__Host-sign-in=")


async def test_the_cookie_stays_with_this_host(bench: Bench) -> None:
    page = await bench.http.get(authorize_url(await bench.register()))
    _, *attributes = page.headers["set-cookie"].split("; ")
    assert {*attributes} == {"HttpOnly", "Max-Age=86400", "Path=/", "SameSite=lax", "Secure"}


@pytest.mark.parametrize(
    "name",
    [
        "<script>alert(1)</script>",
        '"><img src=x onerror=alert(1)>',
        "' onmouseover='alert(1)",
        "</title></strong><form action=https://evil.example>",
        "&lt;script&gt;",
        "javascript:alert(1)",
    ],
)
async def test_a_name_is_text_and_nothing_else(bench: Bench, name: str) -> None:
    page = await bench.http.get(authorize_url(await bench.register(name=name)))
    shown = page.text.partition("<bdi>")[2].partition("</bdi>")[0]
    assert not {*shown} & {*"<>\"'"}
    assert page.text.count("<form") == 1


async def test_a_name_cannot_turn_or_break_the_text_around_it(bench: Bench) -> None:
    client_id = await bench.register(name="Good\u202e\u2066\n\r\x00\u200bName" + "x" * 5000)
    page = await bench.http.get(authorize_url(client_id))
    assert page.text.partition("<bdi>")[2].partition("</bdi>")[0] == "GoodName" + "x" * 92
    assert "A client without a name" in (await bench.http.get(authorize_url(await bench.register(name="\u202e")))).text


@pytest.mark.parametrize("redirect", ["https://client.example.net/'onclick=x&amp;", "http://[::1]/&quot;&lt;b&gt;"])
async def test_a_redirect_is_text_and_nothing_else(bench: Bench, redirect: str) -> None:
    answer = await bench.http.post(f"{ORIGIN}/register", json={"redirect_uris": [redirect]})
    if answer.status_code == 201:
        page = await bench.http.get(authorize_url(answer.json()["client_id"], redirect_uri=redirect))
        assert page.text.count("<form") == 1
        assert redirect not in page.text


@pytest.mark.parametrize("text", ["a\r\nSet-Cookie: x=y", "a\nb", "\x00", "%0d%0aSet-Cookie:%20x=y"])
async def test_nothing_that_is_sent_becomes_a_header(bench: Bench, text: str) -> None:
    client_id = await bench.register(LOOPBACK)
    answer = await bench.http.get(authorize_url(client_id, redirect_uri=LOOPBACK, state=text, scope="none"))
    assert "set-cookie" not in answer.headers
    assert told(answer)["state"] == text


async def test_what_is_too_large_is_refused(bench: Bench) -> None:
    large = "x" * 70_000
    assert (await bench.http.post(f"{ORIGIN}/register", content=large)).status_code == 413
    assert (await bench.token(grant_type="refresh_token", refresh_token=large)).status_code == 413
    assert (await bench.http.get(authorize_url(await bench.register(), state="x" * 1001))).status_code == 400


async def test_what_is_just_not_too_large_is_taken(bench: Bench) -> None:
    assert (await bench.http.post(f"{ORIGIN}/register", content=b"x" * 65_536)).status_code == 400
    assert (await bench.http.post(f"{ORIGIN}/register", content=b"x" * 65_537)).status_code == 413
    assert (await bench.http.get(authorize_url(await bench.register(), state="x" * 1000))).status_code == 200


async def test_a_registration_has_an_id_of_up_to_2000_characters(bench: Bench) -> None:
    ids = []
    for count in range(1, 11):
        redirects = [f"https://client.example.net/{token_urlsafe(180)}" for _ in range(count)]
        answer = await bench.http.post(f"{ORIGIN}/register", json={"redirect_uris": redirects})
        ids.append(len(answer.json()["client_id"]) if answer.status_code == 201 else 0)
    assert 0 < max(ids) <= 2000
    assert ids[-1] == 0


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"null", b'{"redirect_uris": 1}', b"\xff", b"[" * 50_000])
async def test_what_is_no_registration_is_refused(bench: Bench, body: bytes) -> None:
    answer = await bench.http.post(f"{ORIGIN}/register", content=body)
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_client_metadata")


@pytest.mark.parametrize("kind", ["application/json", "multipart/form-data; boundary=x", "text/plain", ""])
async def test_what_is_no_form_gets_no_token(bench: Bench, kind: str) -> None:
    answer = await bench.http.post(f"{ORIGIN}/token", content=b'{"client_id": "x"}', headers={"Content-Type": kind})
    assert answer.status_code in {400, 401}
