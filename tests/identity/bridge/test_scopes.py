"""Each token is for the first scope, and for further ones where the client asked for them."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from tests.identity.bridge.bench import FURTHER, LOOPBACK, ORIGIN, OTHER, REDIRECT, SCOPE, Bench, authorize_url, told

pytestmark = pytest.mark.anyio

ALL = f"{SCOPE} {FURTHER} {OTHER}"
BESIDE = "offline_access openid profile"
ASKED = [
    ("", SCOPE),
    ("openid offline_access", SCOPE),
    (SCOPE, SCOPE),
    (FURTHER, f"{SCOPE} {FURTHER}"),
    (f"{FURTHER} {SCOPE} {FURTHER} openid", f"{SCOPE} {FURTHER}"),
    (f"{OTHER} {FURTHER}", ALL),
]


@pytest.fixture(autouse=True)
def several_scopes(bench: Bench) -> None:
    bench.switch(bench.build(scope=ALL))


def _granting(bench: Bench, **more: str) -> None:
    """From now on the authority answers so, whatever it is asked for."""
    bench.page.garbage = json.dumps({"access_token": "a", "refresh_token": "r", **more}).encode()


def _sent_scopes(bench: Bench) -> list[str]:
    """What the authority was asked for: at its page, at the code, at each renewal."""
    sent: list[Mapping[str, str]] = [seen.query or seen.form for seen in bench.issuer.requests]
    return [parameters["scope"] for parameters in sent]


@pytest.mark.parametrize(("asked", "wanted"), ASKED)
async def test_the_authority_is_asked_for_the_first_scope_and_what_the_client_named(
    bench: Bench, asked: str, wanted: str
) -> None:
    _granting(bench)
    client_id = await bench.register()
    tokens = (await bench.redeem(client_id, (await bench.signed_in(client_id, scope=asked))["code"])).json()
    renewed = (await bench.renew(client_id, tokens["refresh_token"])).json()
    again = (await bench.renew(client_id, renewed["refresh_token"])).json()
    assert _sent_scopes(bench) == [f"{wanted} {BESIDE}"] * 4
    assert [answer["scope"] for answer in (tokens, renewed, again)] == [wanted] * 3


async def test_a_scope_that_there_is_not_is_refused_beside_one_that_there_is(bench: Bench) -> None:
    asked = authorize_url(await bench.register(LOOPBACK), redirect_uri=LOOPBACK, scope=f"{SCOPE} {FURTHER}/everything")
    answer = told(await bench.http.get(asked))
    assert answer["error"] == "invalid_scope"
    assert FURTHER in answer["error_description"]


@pytest.mark.parametrize(
    ("granted", "scope"),
    [
        (f"{SCOPE} {FURTHER} openid https://graph.microsoft.com/User.Read", f"{SCOPE} {FURTHER}"),
        (f"{OTHER} {SCOPE}", f"{SCOPE} {OTHER}"),
        (f"{SCOPE} {FURTHER}-of-others", SCOPE),
        (SCOPE, SCOPE),
        ("openid profile", f"{SCOPE} {FURTHER}"),
        ("", f"{SCOPE} {FURTHER}"),
    ],
)
async def test_a_client_is_told_what_the_authority_granted_and_renews_that(
    bench: Bench, granted: str, scope: str
) -> None:
    _granting(bench, scope=granted)
    client_id = await bench.register()
    code = (await bench.signed_in(client_id, scope=FURTHER))["code"]
    tokens = (await bench.redeem(client_id, code)).json()
    assert tokens["scope"] == scope
    renewed = await bench.renew(client_id, tokens["refresh_token"], scope=scope)
    assert renewed.status_code == 200
    assert _sent_scopes(bench)[-1] == f"{scope} {BESIDE}"


async def test_a_refresh_token_opens_no_more_than_was_granted(bench: Bench) -> None:
    client_id = await bench.register()
    tokens = (await bench.redeem(client_id, (await bench.signed_in(client_id))["code"])).json()
    refused = await bench.renew(client_id, tokens["refresh_token"], scope=f"{SCOPE} {FURTHER}")
    assert (refused.status_code, refused.json()["error"]) == (400, "invalid_scope")
    assert (await bench.renew(client_id, tokens["refresh_token"], scope=f"{SCOPE} openid")).status_code == 200


async def test_a_scope_that_is_no_more_is_not_asked_for_by_what_was_sealed_before(bench: Bench) -> None:
    _granting(bench)
    client_id = await bench.register()
    code = (await bench.signed_in(client_id, scope=f"{FURTHER} {OTHER}"))["code"]
    tokens = (await bench.redeem(client_id, code)).json()
    bench.switch(bench.build(scope=f"{SCOPE} {OTHER}"))
    assert (await bench.renew(client_id, tokens["refresh_token"])).json()["scope"] == f"{SCOPE} {OTHER}"
    assert _sent_scopes(bench)[-1] == f"{SCOPE} {OTHER} {BESIDE}"


async def test_a_client_may_want_more_later(bench: Bench) -> None:
    client_id, person = await bench.register(), await bench.person()
    await bench.signed_in(client_id, person)
    assert "code" in await bench.signed_in(client_id, person, scope=f"{SCOPE} {FURTHER}")
    assert _sent_scopes(bench) == [f"{SCOPE} {BESIDE}", f"{SCOPE} {FURTHER} {BESIDE}"]


async def test_clients_that_ask_for_all_that_they_are_told_of_ask_for_the_first(bench: Bench) -> None:
    metadata = (await bench.http.get(f"{ORIGIN}/.well-known/oauth-authorization-server")).json()
    registered = await bench.http.post(f"{ORIGIN}/register", json={"redirect_uris": [REDIRECT], "scope": ALL})
    assert (metadata["scopes_supported"], registered.json()["scope"]) == ([SCOPE], SCOPE)
