"""Attacks on the sign-in bridge: registrations, documents, states, codes, forms and refresh tokens."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx2
import pytest

from clients.public_fetch import FetchedFile
from tests.identity.bridge.bench import (
    ORIGIN,
    REDIRECT,
    Bench,
    authorize_url,
    bridging,
    callback_of,
    consent_on,
    document,
    next_address,
    told,
)

pytestmark = pytest.mark.anyio

LARGEST_PAGE = 16 * 1024
ABOUT = "https://client.example.net/about.json"
ACTIVE = '"><script>alert(1)</script>'


@pytest.fixture
async def bench() -> Any:
    async with bridging() as built:
        yield built


def leads_nowhere(answer: httpx2.Response, *statuses: int) -> None:
    assert answer.status_code in statuses, answer.text
    assert next_address(answer) is None
    assert len(answer.content) <= LARGEST_PAGE
    assert "Traceback" not in answer.text
    assert "access_token" not in answer.text
    assert "<script" not in answer.text


REGISTRATIONS: dict[str, Any] = {
    "no redirect": {},
    "redirects as a text": {"redirect_uris": REDIRECT},
    "redirects that are numbers": {"redirect_uris": [1, 2]},
    "a redirect that is an object": {"redirect_uris": [{"uri": REDIRECT}]},
    "eleven redirects": {"redirect_uris": [f"{REDIRECT}/{number}" for number in range(11)]},
    "a good redirect and a bad one": {"redirect_uris": [REDIRECT, "javascript:alert(1)"]},
    "a redirect to the platform": {"redirect_uris": ["http://169.254.169.254/metadata"]},
    "a redirect to a wildcard": {"redirect_uris": ["https://*.example.net/"]},
    "a key of its own": {"redirect_uris": [REDIRECT], "token_endpoint_auth_method": "private_key_jwt"},
    "a grant of its own": {"redirect_uris": [REDIRECT], "grant_types": ["client_credentials"]},
    "a password grant": {"redirect_uris": [REDIRECT], "grant_types": ["password"]},
    "an implicit answer": {"redirect_uris": [REDIRECT], "response_types": ["token"]},
    "a name that is a list": {"redirect_uris": [REDIRECT], "client_name": ["a"]},
    "a name of a megabyte": {"redirect_uris": [REDIRECT], "client_name": "n" * 1_000_000},
    "a list": [REDIRECT],
    "a text": "x",
    "nothing": None,
}


@pytest.mark.parametrize("body", REGISTRATIONS.values(), ids=REGISTRATIONS)
async def test_a_registration_that_wants_too_much_is_refused(bench: Bench, body: Any) -> None:
    answer = await bench.http.post(f"{ORIGIN}/register", json=body)
    leads_nowhere(answer, 400, 413, 422)
    assert "client_id" not in answer.text


CLAIMED: dict[str, Any] = {
    "a redirect with a blank in it": {"redirect_uris": ["https://client.example.net/a b"]},
    "a redirect with letters that look the same": {"redirect_uris": ["https://cl\u0456ent.example.net/"]},
    "a redirect with a quote": {"redirect_uris": [f"https://client.example.net/{ACTIVE}"]},
    "a secret of its own": {"token_endpoint_auth_method": "client_secret_basic"},
    "an id": {"client_id": "admin"},
    "a secret": {"client_secret": "chosen", "client_secret_expires_at": 0},
    "a scope": {"scope": "https://graph.microsoft.com/.default"},
    "a logo inside": {"logo_uri": "http://169.254.169.254/"},
    "keys inside": {"jwks_uri": "https://127.0.0.1/keys"},
    "a statement": {"software_statement": "eyJhbGciOiJub25lIn0.e30."},
    "a name that is active": {"client_name": ACTIVE},
    "a name of ours": {"client_name": "Example Server</h1><form action=https://evil.example>"},
    "a name that turns around": {"client_name": "\u202eevil\u2066"},
    "a name of lines": {"client_name": "a\r\nSet-Cookie: x=y"},
}


@pytest.mark.parametrize("claimed", CLAIMED.values(), ids=CLAIMED)
async def test_what_a_client_says_of_itself_gives_it_nothing(bench: Bench, claimed: Any) -> None:
    answer = await bench.http.post(f"{ORIGIN}/register", json={"redirect_uris": [REDIRECT], **claimed})
    assert answer.status_code in {201, 400}
    if answer.status_code == 201:
        registered = answer.json()
        assert registered["client_id"] != "admin"
        assert not registered.get("client_secret")
        (redirect,) = registered["redirect_uris"]
        assert redirect.isascii()
        page = await bench.http.get(authorize_url(registered["client_id"], redirect_uri=redirect))
        assert "<script" not in page.text
        assert page.text.count("<form") == 1
        assert "evil.example>" not in page.text
        assert "\u202e" not in page.text
    assert bench.web.asked == []


DOCUMENTS: dict[str, FetchedFile] = {
    "a document of another": document("https://client.example.net/other.json"),
    "a document with a name twice": FetchedFile(
        "application/json",
        b'{"client_id":"https://client.example.net/other","client_id":"' + ABOUT.encode() + b'","redirect_uris":[]}',
    ),
    "a document of a page": FetchedFile("text/html", document(ABOUT).body),
    "a document of a script": FetchedFile("application/javascript", document(ABOUT).body),
    "a document that is deep": FetchedFile("application/json", b'{"client_id":' + b"[" * 8000),
    "a document in another writing": FetchedFile("application/json", document(ABOUT).body.decode().encode("utf-16")),
    "a document with a number beyond all": FetchedFile("application/json", b'{"client_id":' + b"9" * 10_000 + b"}"),
    "a document with a secret": document(ABOUT, token_endpoint_auth_method="client_secret_post"),  # noqa: S106
    "a document that leads inside": document(ABOUT, redirect_uris=["http://10.0.0.1/callback"]),
    "a document that is empty": FetchedFile("application/json", b""),
}


@pytest.mark.parametrize("fetched", DOCUMENTS.values(), ids=DOCUMENTS)
async def test_a_document_of_tricks_makes_no_client(bench: Bench, fetched: FetchedFile) -> None:
    bench.web.documents[ABOUT] = fetched
    leads_nowhere(await bench.http.get(authorize_url(ABOUT)), 400)


ELSEWHERE = [
    "https://client.example.net/oauth/callback@evil.example",
    "https://client.example.net/oauth/callback/..;/evil",
    "https://client.example.net/oauth/callback%3Fcode=1",
    "https://client.example.net/oauth/callback;x=1",
    "https://client.example.net:0443/oauth/callback",
    "https://client.example.net/oauth/callback\u2028",
    "https://client.example.net/oauth/callback\ufeff",
    "https://client.example.net\t/oauth/callback",
    "https://client\u3002example.net/oauth/callback",
    "https://xn--client-.example.net/oauth/callback",
    "cursor://anysphere.cursor-mcp/oauth/callback#",
    "http://127.0.0.1:33418/callback",
    f"https://client.example.net/oauth/callback{'/' * 15_000}",
]


@pytest.mark.parametrize("redirect", ELSEWHERE, ids=lambda text: ascii(text)[:80])
async def test_no_reading_of_another_address_is_that_of_the_client(bench: Bench, redirect: str) -> None:
    leads_nowhere(await bench.http.get(authorize_url(await bench.register(), redirect_uri=redirect)), 400)


CALLBACKS = {
    "nothing": "",
    "a code alone": "code=x",
    "a state of another kind": "code=x&state={client}",
    "a code of ours as the state": "code=x&state={code}",
    "two states": "code=x&state={state}&state=other",
    "two codes": "code=x&code=y&state={state}",
    "a state that was cut": "code=x&state={short}",
    "an error with another state": "error=access_denied&state=x",
    "an error that is active": "error=<script>&error_description=<script>alert(1)</script>&state=x",
    "a state of sixty kilobytes": "code=x&state=" + "s" * 60_000,
}


@pytest.mark.parametrize("query", CALLBACKS.values(), ids=CALLBACKS)
async def test_nobody_comes_back_with_what_was_not_given_to_them(bench: Bench, query: str) -> None:
    client_id, person = await bench.register(), await bench.person()
    callback = await callback_of(bench, person, client_id)
    state = callback.partition("state=")[2].partition("&")[0]
    code = told(await person.http.get(callback))["code"]
    filled = query.format(client=client_id, code=code, state=state, short=state[:-3])
    leads_nowhere(await person.http.get(f"{ORIGIN}/callback?{filled}"), 400)


async def test_a_state_of_one_person_is_worth_nothing_to_another_nor_without_a_cookie(bench: Bench) -> None:
    victim, attacker = await bench.person(), await bench.person()
    callback = await callback_of(bench, victim, await bench.register())
    await attacker.visit(authorize_url(await bench.register()))
    leads_nowhere(await attacker.http.get(callback), 400)
    leads_nowhere(await bench.http.get(callback), 400)


async def test_a_failure_that_the_authority_words_actively_is_text_to_the_client(bench: Bench) -> None:
    client_id, person = await bench.register(), await bench.person()
    callback = await callback_of(bench, person, client_id)
    state = callback.partition("state=")[2].partition("&")[0]
    words = "error=x%0D%0ASet-Cookie:a=b&error_description=%3Cscript%3Ealert(1)%3C/script%3E%0D%0AX-Evil:1"
    answer = await person.http.get(f"{ORIGIN}/callback?{words}&state={state}")
    assert told(answer)["error"] == "server_error"
    assert "x-evil" not in answer.headers
    assert "<script" not in answer.text


FORMS: dict[str, dict[str, Any]] = {
    "from another site": {"Sec-Fetch-Site": "cross-site"},
    "from a site beside it": {"Sec-Fetch-Site": "same-site"},
    "from nowhere": {"Sec-Fetch-Site": "none"},
    "from a frame of another": {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "iframe"},
    "from a place in capitals": {"Sec-Fetch-Site": "SAME-ORIGIN"},
    "from two places": {"Sec-Fetch-Site": "same-origin, cross-site"},
}


@pytest.mark.parametrize("headers", FORMS.values(), ids=FORMS)
async def test_a_form_counts_from_its_own_page_only(bench: Bench, headers: dict[str, str]) -> None:
    person = await bench.person()
    page = await person.visit(authorize_url(await bench.register()))
    form = {"consent": consent_on(page), "decision": "approve"}
    leads_nowhere(await person.http.post(f"{ORIGIN}/authorize", data=form, headers=headers), 400)


@pytest.mark.parametrize("path", ["authorize", "callback"])
async def test_every_page_fits_into_no_frame_and_tells_nobody_where_it_was(bench: Bench, path: str) -> None:
    for url in (f"{ORIGIN}/{path}", f"{ORIGIN}/{path}?state={ACTIVE}", authorize_url(await bench.register())):
        answer = await bench.http.get(url)
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert (answer.headers["x-frame-options"], answer.headers["referrer-policy"]) == ("DENY", "no-referrer")
        assert answer.headers["cache-control"] == "no-store"


TOKENS: dict[str, dict[str, Any]] = {
    "for an application itself": {"grant_type": "client_credentials", "client_secret": "x"},
    "with a password": {"grant_type": "password", "username": "ada", "password": "x"},
    "on behalf of somebody": {"grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer", "assertion": "a.b.c"},
    "in exchange": {"grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "subject_token": "x"},
    "by a device": {"grant_type": "urn:ietf:params:oauth:grant-type:device_code", "device_code": "x"},
    "with an assertion of the client": {
        "grant_type": "refresh_token",
        "refresh_token": "x",
        "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
        "client_assertion": "eyJhbGciOiJub25lIn0.e30.",
    },
    "with two grants": {"grant_type": ["refresh_token", "authorization_code"]},
    "with nothing": {},
    "with a refresh token of a megabyte": {"grant_type": "refresh_token", "refresh_token": "r" * 1_000_000},
    "with a thousand fields": {f"f{number}": "x" for number in range(1500)},
    "with a verifier of sixty kilobytes": {"grant_type": "authorization_code", "code_verifier": "v" * 60_000},
}


@pytest.mark.parametrize("form", TOKENS.values(), ids=TOKENS)
async def test_no_other_grant_gives_a_token(bench: Bench, form: dict[str, Any]) -> None:
    client_id = await bench.register()
    answer = await bench.http.post(f"{ORIGIN}/token", data={"client_id": client_id, **form})
    leads_nowhere(answer, 400, 401, 413)
    assert bench.issuer.count(bench.issuer.token_path) == 0


@pytest.mark.parametrize("kind", ["application/json", "text/plain", "multipart/form-data; boundary=x", ""])
async def test_a_token_is_asked_for_by_a_form_only(bench: Bench, kind: str) -> None:
    client_id = await bench.register()
    code = (await bench.signed_in(client_id))["code"]
    body = json.dumps({"grant_type": "authorization_code", "client_id": client_id, "code": code})
    leads_nowhere(await bench.http.post(f"{ORIGIN}/token", content=body, headers={"Content-Type": kind}), 400, 401)


async def test_refresh_tokens_that_are_used_by_two_at_once_are_worth_nothing_soon(bench: Bench) -> None:
    client_id = await bench.register()
    first = (await bench.redeem(client_id, (await bench.signed_in(client_id))["code"])).json()["refresh_token"]
    answers = await asyncio.gather(*(bench.renew(client_id, first) for _ in range(6)))
    given = [answer.json()["refresh_token"] for answer in answers if answer.status_code == 200]
    assert len(given) <= 1
    for token in (first, *given):
        assert (await bench.renew(client_id, token)).json()["error"] == "invalid_grant"


async def test_a_thief_who_comes_first_and_the_owner_who_comes_later_both_lose(bench: Bench) -> None:
    client_id = await bench.register()
    stolen = (await bench.redeem(client_id, (await bench.signed_in(client_id))["code"])).json()["refresh_token"]
    thief = (await bench.renew(client_id, stolen)).json()["refresh_token"]
    thief = (await bench.renew(client_id, thief)).json()["refresh_token"]
    assert (await bench.renew(client_id, stolen)).json()["error"] == "invalid_grant"
    assert (await bench.renew(client_id, thief)).json()["error"] == "invalid_grant"


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "TRACE", "HEAD"])
@pytest.mark.parametrize("path", ["authorize", "token", "register", "callback"])
async def test_no_other_method_does_anything(bench: Bench, path: str, method: str) -> None:
    answer = await bench.http.request(method, f"{ORIGIN}/{path}")
    leads_nowhere(answer, 405, 400)
