"""From registration to tokens, as clients and people go that way."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from urllib.parse import parse_qs, parse_qsl, urlsplit

import httpx2
import pytest
from starlette.types import Receive, Scope, Send

from identity.bridge.app import sign_in_bridge
from identity.bridge.authority import Authority
from identity.bridge.offer import Site
from identity.bridge.redirects import with_query
from identity.seals import Seals
from tests.fakes.issuer import AUDIENCE
from tests.identity.bridge.bench import (
    CHALLENGE,
    KEYS,
    LOOPBACK,
    NO_SESSIONS,
    ORIGIN,
    REDIRECT,
    RESOURCE,
    SCOPE,
    Bench,
    authorize_url,
    callback_of,
    consent_on,
    document,
    next_address,
    offered,
    told,
)

pytestmark = pytest.mark.anyio

PUBLISHED = "https://client.example.net/about.json"


@pytest.mark.parametrize(
    "path",
    [
        "/.well-known/oauth-authorization-server",
        "/.well-known/oauth-authorization-server/mcp",
        "/.well-known/openid-configuration",
        "/.well-known/openid-configuration/mcp",
    ],
)
async def test_metadata_say_what_there_is(bench: Bench, path: str) -> None:
    answer = await bench.http.get(ORIGIN + path, headers={"Origin": "https://inspector.example.net"})
    assert answer.headers["access-control-allow-origin"] == "*"
    assert answer.headers["cache-control"] == "public, max-age=3600"
    assert answer.json() == {
        "issuer": ORIGIN,
        "authorization_endpoint": f"{ORIGIN}/authorize",
        "token_endpoint": f"{ORIGIN}/token",
        "registration_endpoint": f"{ORIGIN}/register",
        "scopes_supported": [SCOPE],
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "token_endpoint_auth_methods_supported": ["none"],
        "code_challenge_methods_supported": ["S256"],
        "client_id_metadata_document_supported": True,
        "authorization_response_iss_parameter_supported": True,
    }


@pytest.mark.parametrize(
    "origin", [ORIGIN, "https://mcp.example.com:8443", "https://MCP.Example.com:443", "http://[0:0:0:0:0:0:0:1]:7071"]
)
async def test_the_issuer_is_the_same_letter_by_letter_wherever_it_is_named(bench: Bench, origin: str) -> None:
    app = bench.build(origin=origin)
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url="https://testing") as http:
        client_id = (await http.post("/register", json={"redirect_uris": [LOOPBACK]})).json()["client_id"]
        refused = await http.get(authorize_url(client_id, redirect_uri=LOOPBACK, scope="none").removeprefix(ORIGIN))
        metadata = (await http.get("/.well-known/oauth-authorization-server")).json()
    assert told(refused)["iss"] == metadata["issuer"] == origin
    assert metadata["token_endpoint"] == f"{origin}/token"


async def test_a_client_registers_and_gets_the_token_of_the_authority(bench: Bench) -> None:
    client_id = await bench.register()
    answer = await bench.signed_in(client_id)
    assert {**answer, "code": ""} == {"code": "", "state": "of the client", "iss": ORIGIN}
    tokens = await bench.redeem(client_id, answer["code"], resource=RESOURCE)
    assert tokens.status_code == 200
    assert tokens.headers["cache-control"] == "no-store"
    assert tokens.json()["access_token"].count(".") == 2
    assert (tokens.json()["token_type"], tokens.json()["expires_in"], tokens.json()["scope"]) == ("Bearer", 3600, SCOPE)
    renewed = await bench.renew(client_id, tokens.json()["refresh_token"], resource=RESOURCE)
    assert renewed.status_code == 200
    assert renewed.json()["access_token"] != tokens.json()["access_token"]


async def test_a_client_that_publishes_what_it_is_needs_no_registration(bench: Bench) -> None:
    bench.web.documents[PUBLISHED] = document(PUBLISHED)
    person = await bench.person()
    page = await person.visit(authorize_url(PUBLISHED))
    assert "Published by <strong>client.example.net</strong>" in page.text
    answer = told(await person.answer(page, "approve"))
    tokens = await bench.redeem(PUBLISHED, answer["code"])
    assert tokens.status_code == 200
    assert (await bench.renew(PUBLISHED, tokens.json()["refresh_token"])).status_code == 200


async def test_a_client_without_a_state_is_sent_back_without_one(bench: Bench) -> None:
    person = await bench.person()
    page = await person.visit(authorize_url(await bench.register(), state=""))
    assert "state=" not in (next_address(await person.answer(page, "approve")) or "")


async def test_a_client_whose_address_is_unknown_can_sign_in_too(bench: Bench) -> None:
    app = bench.build()

    async def without_address(scope: Scope, receive: Receive, send: Send) -> None:
        await app({**scope, "client": None}, receive, send)

    bench.switch(without_address)
    assert "code" in await bench.signed_in(await bench.register())


async def test_the_document_of_a_client_is_read_once_in_a_while(bench: Bench) -> None:
    bench.web.documents[PUBLISHED] = document(PUBLISHED)
    for _ in range(3):
        await bench.signed_in(PUBLISHED)
    assert bench.web.asked == [PUBLISHED]


async def test_the_authority_is_asked_in_the_name_of_this_app(bench: Bench) -> None:
    client_id = await bench.register()
    await bench.redeem(client_id, (await bench.signed_in(client_id, scope="openid"))["code"])
    asked = next(seen for seen in bench.issuer.requests if seen.path.endswith("/authorize")).query
    assert asked["client_id"] == AUDIENCE
    assert (asked["response_type"], asked["code_challenge_method"]) == ("code", "S256")
    assert asked["scope"] == f"{SCOPE} offline_access openid profile"
    assert asked["redirect_uri"] == f"{ORIGIN}/callback"
    assert asked["code_challenge"] != CHALLENGE
    assert "resource" not in asked
    redeemed = bench.issuer.requests[-1].form
    assert redeemed["grant_type"] == "authorization_code"
    assert re.fullmatch(r"[A-Za-z0-9_-]{43,128}", redeemed["code_verifier"])  # what RFC 7636 demands


async def test_what_the_authority_carries_for_us_is_short(bench: Bench) -> None:
    redirects = [f"http://127.0.0.1:33418/{part}" for part in ("", "callback")]
    client_id = await bench.register(REDIRECT, "https://insiders.vscode.dev/redirect", *redirects)
    answer = await bench.signed_in(client_id, state="s" * 10 + "0123456789abcdef" * 20)
    state = next(seen for seen in bench.issuer.requests if seen.path.endswith("/authorize")).query["state"]
    code_there = max(map(len, [*bench.page.codes]))
    assert (len(client_id) < 500, len(state) < 1000, len(answer["code"]) < code_there + 300) == (True, True, True)


async def test_two_instances_stand_in_for_each_other(bench: Bench) -> None:
    bench.switch(bench.build(), bench.build())
    for _ in range(2):
        client_id = await bench.register()
        person = await bench.person()
        answer = await bench.signed_in(client_id, person)
        tokens = await bench.redeem(client_id, answer["code"])
        assert (await bench.renew(client_id, tokens.json()["refresh_token"])).status_code == 200
        bench.switch(*reversed(bench.apps))


async def test_a_key_can_be_replaced_while_people_sign_in(bench: Bench) -> None:
    new = "another key of at least thirty-two characters"
    client_id, person = await bench.register(), await bench.person()
    page = await person.visit(authorize_url(client_id))
    bench.switch(bench.build([new, *KEYS]))
    answer = told(await person.answer(page, "approve"))
    assert (await bench.redeem(client_id, answer["code"])).status_code == 200
    bench.switch(bench.build([new]))
    refused = await person.visit(authorize_url(client_id))
    assert refused.status_code == 400
    assert "not registered here" in refused.text


@pytest.mark.parametrize(
    ("earlier", "later"), [("old", "old new"), ("old new", "new old"), ("new old", "new")], ids=lambda keys: f"[{keys}]"
)
async def test_at_each_step_of_replacing_a_key_instances_before_and_after_it_stand_in_for_each_other(
    bench: Bench, earlier: str, later: str
) -> None:
    before, after = (bench.build([key * 16 for key in keys.split()]) for keys in (earlier, later))
    for instances in ((before, after), (after, before)):
        bench.switch(*instances)
        client_id = await bench.register()
        answer = await bench.signed_in(client_id)
        assert (await bench.redeem(client_id, answer["code"])).status_code == 200


@pytest.mark.parametrize(
    ("redirect", "receiver"),
    [
        (REDIRECT, "client.example.net"),
        ("http://127.0.0.1:8080/", "a program on this computer (127.0.0.1)"),
        ("http://localhost:8080/callback", "a program on this computer (localhost)"),
        ("cursor://anysphere.cursor-mcp/oauth/callback", "the program that opens cursor: links on this computer"),
        ("com.raycast:/oauth?package_name=Extension", "the program that opens com.raycast: links on this computer"),
        ("raycast://oauth?package_name=Extension", "the program that opens raycast: links on this computer"),
        ("mcpjam://oauth/callback", "the program that opens mcpjam: links on this computer"),
        ("mcpjam://authkit/callback", "the program that opens mcpjam: links on this computer"),
        ("warp://mcp/oauth2callback", "the program that opens warp: links on this computer"),
    ],
)
async def test_each_kind_of_client_is_sent_back_to_where_the_person_was_told(
    bench: Bench, redirect: str, receiver: str
) -> None:
    client_id, person = await bench.register(redirect), await bench.person()
    page = await person.visit(authorize_url(client_id, redirect_uri=redirect))
    assert f"<strong class=to>{receiver}</strong>" in page.text
    last = await person.answer(page, "approve")
    assert (next_address(last) or "").startswith(with_query(redirect, {"code": ""}))
    tokens = await bench.redeem(client_id, told(last)["code"], redirect_uri=redirect)
    assert tokens.status_code == 200


async def test_a_query_of_the_redirect_is_kept_as_it_is(bench: Bench) -> None:
    redirect = "https://client.example.net/cb?next=a%20b&empty="
    client_id, person = await bench.register(redirect), await bench.person()
    page = await person.visit(authorize_url(client_id, redirect_uri=redirect))
    last = offered(await person.answer(page, "deny"))
    assert last.startswith(f"{redirect}&error=access_denied&")


async def test_a_program_may_listen_on_another_port_than_it_registered(bench: Bench) -> None:
    client_id = await bench.register("http://127.0.0.1/", "http://127.0.0.1:33418")
    answer = await bench.signed_in(client_id, redirect_uri="http://127.0.0.1:51234/")
    tokens = await bench.redeem(client_id, answer["code"], redirect_uri="http://127.0.0.1:51234/")
    assert tokens.status_code == 200


async def test_who_says_no_may_tell_the_program_that(bench: Bench) -> None:
    client_id, person = await bench.register(), await bench.person()
    page = await person.visit(authorize_url(client_id))
    answer = dict(parse_qsl(urlsplit(offered(await person.answer(page, "deny"))).query))
    assert answer == {
        "error": "access_denied",
        "error_description": "The user denied access.",
        "state": "of the client",
        "iss": ORIGIN,
    }
    assert bench.issuer.requests == []


async def test_what_was_registered_is_told(bench: Bench) -> None:
    body = {
        "redirect_uris": [REDIRECT],
        "client_name": "Example",
        "token_endpoint_auth_method": "client_secret_post",
        "logo_uri": "https://client.example.net/logo.png",
        "jwks": {"keys": []},
        "scope": "everything",
    }
    answer = (await bench.http.post(f"{ORIGIN}/register", json=body)).json()
    del answer["client_id"], answer["client_id_issued_at"]
    assert answer == {
        "redirect_uris": [REDIRECT],
        "client_name": "Example",
        "token_endpoint_auth_method": "none",
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "application_type": "native",
        "scope": SCOPE,
    }


@pytest.mark.parametrize(("redirect", "status"), [(REDIRECT, 201), ("http://client.example.net/", 400)])
async def test_no_cache_keeps_what_was_registered(bench: Bench, redirect: str, status: int) -> None:
    asking = {"Origin": "https://inspector.example.net"}
    answer = await bench.http.post(f"{ORIGIN}/register", json={"redirect_uris": [redirect]}, headers=asking)
    assert (answer.status_code, answer.headers["cache-control"]) == (status, "no-store")
    assert answer.headers["access-control-allow-origin"] == "*"


async def test_neither_a_cache_nor_another_site_learns_what_a_client_is_told(bench: Bench) -> None:
    person, client_id = await bench.person(), await bench.register(LOOPBACK, REDIRECT)
    good = await person.http.get(await callback_of(bench, person, client_id))
    bad = await bench.http.get(authorize_url(client_id, redirect_uri=LOOPBACK, scope="none"))
    assert ("code" in told(good), "error" in told(bad)) == (True, True)
    unfit = await bench.redeem(client_id, told(good)["code"], resource="https://evil.example/mcp")
    twice = await bench.http.post(f"{ORIGIN}/token", data={"client_id": [client_id, client_id]})
    bench.issuer.fail(bench.issuer.token_path)
    away = await bench.redeem(client_id, told(good)["code"])
    assert [answer.status_code for answer in (good, bad, unfit, twice, away)] == [302, 302, 400, 400, 503]
    for answer in (good, bad, unfit, twice, away):
        assert (answer.headers["cache-control"], answer.headers["referrer-policy"]) == ("no-store", "no-referrer")
        assert answer.headers["x-content-type-options"] == "nosniff"


async def test_pages_run_nothing_load_nothing_and_fit_into_no_frame(bench: Bench) -> None:
    person = await bench.person()
    asking = await person.visit(authorize_url(await bench.register()))
    leading_on = await person.http.post(f"{ORIGIN}/authorize", data={"consent": consent_on(asking), "decision": "deny"})
    refusing = await person.visit(f"{ORIGIN}/authorize")
    for page in (asking, leading_on, refusing):
        policy = dict(rule.split(" ", 1) for rule in page.headers["content-security-policy"].split("; "))
        assert (policy["default-src"], policy["form-action"]) == ("'none'", "'self'")
        assert (policy["frame-ancestors"], policy["base-uri"]) == ("'none'", "'none'")
        assert page.headers["x-frame-options"] == "DENY"
        assert page.headers["cache-control"] == "no-store"
        assert page.headers["referrer-policy"] == "no-referrer"
        assert page.headers["x-content-type-options"] == "nosniff"
        assert "<script" not in page.text
        assert len(page.headers.get_list("set-cookie")) <= 1


async def test_the_style_is_the_one_that_the_policy_allows(bench: Bench) -> None:
    page = await bench.http.get(f"{ORIGIN}/authorize")
    style = page.text.partition("<style>")[2].partition("</style>")[0]
    assert f"'sha256-{b64encode(sha256(style.encode()).digest()).decode()}'" in page.headers["content-security-policy"]


async def test_the_state_of_a_client_comes_back_as_it_was(bench: Bench) -> None:
    client_id = await bench.register()
    for state in ("", "a b+c%20&=\u00fc\u4e16\U0001f600", "x" * 1000):
        assert (await bench.signed_in(client_id, state=state)).get("state", "") == state


async def test_the_browser_goes_where_the_authority_is(bench: Bench) -> None:
    client_id, person = await bench.register(), await bench.person()
    page = await person.visit(authorize_url(client_id))
    form = {"consent": consent_on(page), "decision": "approve"}
    onward = next_address(await person.http.post(f"{ORIGIN}/authorize", data=form)) or ""
    assert onward.startswith(f"{bench.issuer.origin}{bench.issuer.authorize_path}?")
    assert parse_qs(urlsplit(onward).query)["response_mode"] == ["query"]


@pytest.mark.parametrize(
    ("method", "path"),
    [("POST", "/register"), ("POST", "/token"), ("GET", "/.well-known/oauth-authorization-server")],
)
async def test_pages_of_web_clients_may_call_what_clients_call(bench: Bench, method: str, path: str) -> None:
    asking = {"Origin": "http://localhost:6274", "Access-Control-Request-Method": method}
    asking["Access-Control-Request-Headers"] = "content-type,mcp-protocol-version"
    answer = await bench.http.options(ORIGIN + path, headers=asking)
    assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (200, "*")


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/register"),
        ("DELETE", "/register"),
        ("GET", "/token"),
        ("PUT", "/token"),
        ("PUT", "/authorize"),
        ("POST", "/callback"),
        ("POST", "/.well-known/oauth-authorization-server"),
    ],
)
async def test_each_address_takes_its_own_methods_alone(bench: Bench, method: str, path: str) -> None:
    assert (await bench.http.request(method, ORIGIN + path)).status_code == 405


@pytest.mark.parametrize("path", ["/authorize", "/callback"])
async def test_pages_of_others_may_not_read_what_people_see(bench: Bench, path: str) -> None:
    answer = await bench.http.get(ORIGIN + path, headers={"Origin": "https://evil.example"})
    assert "access-control-allow-origin" not in answer.headers


async def test_a_laptop_has_a_cookie_that_needs_no_https(bench: Bench) -> None:
    here = "http://localhost:7071"
    authority = Authority(f"{here}/a", f"{here}/t", AUDIENCE, SCOPE, dict)  # type: ignore[arg-type]  # never asked
    app = sign_in_bridge(Site("Example", here, [f"{here}/mcp"]), authority, Seals(KEYS), NO_SESSIONS)
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url=here) as http:
        client_id = (await http.post("/register", json={"redirect_uris": [REDIRECT]})).json()["client_id"]
        url = authorize_url(client_id, resource="").replace(ORIGIN, here)
        page = await http.get(url)
        assert page.headers["set-cookie"].startswith("sign-in=")
        assert "secure" not in page.headers["set-cookie"].lower()
        sent = await http.post("/authorize", data={"consent": consent_on(page), "decision": "approve"})
        assert (next_address(sent) or "").startswith(f"{here}/a?")
