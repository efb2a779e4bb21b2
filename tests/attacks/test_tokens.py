"""Attacks on signing in, at every door of the whole app: tokens with tricks, in every place, and what is told then."""

from __future__ import annotations

import json
import time
from base64 import urlsafe_b64decode
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.attacks.doors import DOORS, execution, file, listing, mcp
from tests.attacks.place import Place, attacked, gains_nothing
from tests.fakes.issuer import AUDIENCE, SCOPE, TENANT, Issuer, encoded, sign_payload
from tests.identity.forging import ATTACKER, OTHER_TENANT
from tests.identity.principals import principal, principal_headers
from tests.mcp_server.caller import message

pytestmark = pytest.mark.anyio

ROLES = "signed-in:\n  firewall: read\nroles:\n  Reader:\n    azure-updates: read\n  Admin:\n    all: destroy\n"


def payload(text: str) -> Callable[[Issuer], str]:
    """A token whose payload has this beside the usual claims, signed by the issuer."""

    def make(issuer: Issuer) -> str:
        plain = json.loads(_decoded(issuer.token().split(".")[1]))
        raw = json.dumps(plain)[:-1] + "," + text + "}"
        return sign_payload(raw.encode(), issuer.key, {"typ": "JWT", "alg": "RS256", "kid": issuer.key.kid})

    return make


def _decoded(part: str) -> bytes:
    return urlsafe_b64decode(part + "=" * (-len(part) % 4))


def by_attacker(**header: Any) -> Callable[[Issuer], str]:
    return lambda issuer: issuer.token(key=ATTACKER, header=header)


TRICKS: dict[str, Callable[[Issuer], str]] = {
    "no signature, no method": lambda issuer: f"{encoded(b'{}')}.{issuer.token().split('.')[1]}.",
    "a role twice": payload('"roles":["Reader"],"roles":["Admin"]'),
    "a role by an escape twice": payload('"roles":["Reader"],"r\\u006fles":["Admin"]'),
    "an object id twice": payload('"oid":"somebody-else"'),
    "an expiry twice": payload('"exp":4102444800'),
    "an issuer by an escape twice": payload('"i\\u0073s":"https://attacker.example"'),
    "a key of the attacker under an address": by_attacker(jku="https://attacker.example/keys", kid="x"),
    "a key of the attacker as the first of two": by_attacker(kid=["key-0", "x"]),
    "a header that is compressed": lambda issuer: issuer.token(header={"zip": "DEF", "crit": ["zip"]}),
    "a header that must be understood": lambda issuer: issuer.token(header={"crit": ["role"], "role": "Admin"}),
    "a token of an hour to come": lambda issuer: issuer.token(nbf=int(time.time()) + 3600),
    "a token of an hour ago": lambda issuer: issuer.token(exp=int(time.time()) - 3600),
    "a token for Graph with our scope": lambda issuer: issuer.token(aud="00000003-0000-0000-c000-000000000000"),
    "a token of another tenant of the issuer": lambda issuer: issuer.token(tid=OTHER_TENANT),
    "a token of version one": lambda issuer: issuer.token(ver="1.0", iss=f"https://sts.windows.net/{TENANT}/"),
    "a token with a proof": lambda issuer: issuer.token(cnf={"x5t#S256": "x"}),
    "a token of a logout": lambda issuer: issuer.token(events={"logout": {}}),
    "an id token with the scope": lambda issuer: issuer.id_token(scp=SCOPE),
    "a token of an application without roles": lambda issuer: issuer.app_token(roles=[]),
    "a payload of a list of claims": lambda issuer: _signed(issuer, [{"aud": AUDIENCE}]),
    "a payload of a megabyte": lambda issuer: issuer.token(padding="x" * 1_000_000),
    "ten thousand roles": lambda issuer: issuer.token(roles=[f"r{number}" for number in range(10_000)]),
    "a token with a claim that is deep": lambda issuer: _signed(issuer, json.loads("[" * 500 + "]" * 500)),
    "a token that says where it came from": lambda issuer: issuer.token(aud=[], azp=AUDIENCE),
}


def _signed(issuer: Issuer, document: Any) -> str:
    header = {"typ": "JWT", "alg": "RS256", "kid": issuer.key.kid}
    return sign_payload(json.dumps(document).encode(), issuer.key, header)


@pytest.mark.parametrize("make", TRICKS.values(), ids=TRICKS)
async def test_a_token_of_tricks_opens_no_door(place: Place, make: Callable[[Issuer], str]) -> None:
    token = make(place.issuer)
    for name, door in DOORS.items():
        answer = await door(place, {"authorization": f"Bearer {token}"})
        gains_nothing(answer, 401, 403, largest=1024)
        told = answer.body.decode() + repr(answer.headers)
        assert not [part for part in token.split(".") if len(part) > 8 and part in told], name
        assert "attacker.example" not in told


async def test_what_opens_each_door_is_a_good_token(place: Place) -> None:
    """Else the tricks above would be refused for another reason."""
    for door in DOORS.values():
        assert (await door(place, place.bearing())).status == 200


CHANGED: dict[str, Callable[[str], str]] = {
    "with another last letter": lambda token: token[:-1] + ("A" if token[-1] != "A" else "Q"),
    "with a signature of spare bits": lambda token: token[:-1] + chr(ord(token[-1]) ^ 1),
    "with its parts in another order": lambda token: ".".join(reversed(token.split("."))),
    "with another token behind": lambda token: f"{token}.{token}",
    "with padding": lambda token: token + "=",
    "in capitals": str.upper,
}


@pytest.mark.parametrize("change", CHANGED.values(), ids=CHANGED)
async def test_a_token_that_was_good_a_moment_ago_lends_nothing_to_one_that_is_like_it(
    place: Place, change: Callable[[str], str]
) -> None:
    """Good tokens are remembered."""
    token = place.issuer.token()
    assert (await mcp(place, {"authorization": f"Bearer {token}"})).status == 200
    gains_nothing(await mcp(place, {"authorization": f"Bearer {change(token)}"}), 400, 401)


NARROW: dict[str, dict[str, Any]] = {
    "a role in lower case": {"roles": ["admin"]},
    "a role in capitals": {"roles": ["ADMIN"]},
    "a role with a blank": {"roles": ["Admin "]},
    "a role with a letter that looks the same": {"roles": ["\u0410dmin"]},
    "wide letters": {"roles": ["\uff21dmin"]},
    "two roles in one": {"roles": ["Reader,Admin"]},
    "two roles by a blank": {"roles": "Reader Admin"},
    "a role by a path": {"roles": ["roles/Admin"]},
    "a name of a section": {"roles": ["roles", "signed-in", "external", "scopes"]},
    "a name of a toolset": {"roles": ["all", "azure-updates", "azure"]},
    "a name of an access": {"roles": ["destroy", "write"]},
    "a pattern": {"roles": ["*", ".*", "Adm*"]},
    "a role under the name of groups": {"groups": ["Admin"], "wids": ["Admin"]},
    "a role under another name": {"role": "Admin", "app_roles": ["Admin"]},
    "a role as a scope": {"scp": f"{SCOPE} Admin"},
    "a role by its address": {"http://schemas.microsoft.com/ws/2008/06/identity/claims/role": "Admin"},
}


@pytest.fixture
def narrow(tmp_path: Path) -> dict[str, str]:
    roles = tmp_path / "roles.yaml"
    roles.write_text(ROLES, encoding="utf-8")
    return {"AUTH_ROLES_FILE": str(roles)}


@pytest.mark.parametrize("claims", NARROW.values(), ids=NARROW)
async def test_what_is_almost_a_role_opens_no_more_than_none(
    tmp_path: Path, narrow: dict[str, str], claims: dict[str, Any]
) -> None:
    async with attacked(tmp_path, **narrow) as place:
        listed = json.loads((await listing(place, place.bearing(**claims))).body)["tools"]
        assert listed
        assert not [tool["name"] for tool in listed if "updates" in tool["name"]]
        gains_nothing(await file(place, place.bearing(**claims)), 403)
        gains_nothing(await execution(place, place.bearing(**claims)), 400, 403, 404)
        assert (await file(place, place.bearing(roles=["Reader"]))).status == 200


AFTER_PLATFORM: dict[str, dict[str, str]] = {
    "a principal while the app itself checks": principal_headers(),
    "a principal of an administrator": principal_headers(principal(("roles", "Admin"))),
    "the id of a principal": {"x-ms-client-principal-id": "x", "x-ms-client-principal-name": "ada@example.com"},
    "a certificate": {"x-arr-clientcert": "MIIB"},
    "a key of the functions": {"x-functions-key": "x", "x-functions-clientid": "default"},
    "a master key": {"x-functions-key": "master"},
    "an address inside": {"x-forwarded-for": "127.0.0.1", "x-real-ip": "127.0.0.1", "forwarded": "for=127.0.0.1"},
    "another host in front": {"x-forwarded-host": "localhost", "x-original-url": "/health"},
    "another method": {"x-http-method-override": "GET", "x-method-override": "GET"},
    "a session": {"mcp-session-id": "1", "cookie": "ARRAffinity=x; AppServiceAuthSession=x"},
    "an authorization for a proxy": {"proxy-authorization": "Bearer x"},
    "a token in the protocol of sockets": {"sec-websocket-protocol": "bearer, x"},
}


@pytest.mark.parametrize("headers", AFTER_PLATFORM.values(), ids=AFTER_PLATFORM)
async def test_no_header_of_somebody_elses_stands_for_a_token(place: Place, headers: dict[str, str]) -> None:
    for door in DOORS.values():
        gains_nothing(await door(place, headers), 401, largest=1024)


PATHS = {
    "quotes": '/mcp/x/a", error="',
    "a line": "/mcp/x/a\r\nSet-Cookie: a=b",
    "a host": "/mcp/x/@evil.example.com",
    "a host with slashes": "//evil.example.com/mcp/x/",
    "a climb": "/mcp/x/../../admin",
    "letters beyond Latin": "/mcp/x/\u202e\u0410",
    "a letter that was none": "/mcp/x/\ufffd",
    "an end of a text": "/mcp/x/\\",
}


@pytest.mark.parametrize("path", PATHS.values(), ids=PATHS)
async def test_a_path_puts_nothing_into_the_challenge(place: Place, path: str) -> None:
    answer = await place.app.endpoint.handle(replace(message("tools/list"), path=path), "all")
    gains_nothing(answer, 401, largest=1024)
    challenge = answer.headers["www-authenticate"]
    assert challenge.isascii()
    assert challenge.isprintable()
    assert challenge.startswith('Bearer resource_metadata="http://localhost:7071/.well-known/oauth-protected-resource')
    assert challenge.count('"') == 4


LIMITED: dict[str, list[dict[str, str]]] = {
    "networks that it says it comes through": [{"x-forwarded-for": f"198.51.100.{n}"} for n in range(4)],
    "clients that it calls itself": [{"user-agent": f"client {n}"} for n in range(4)],
    "sessions": [{"mcp-session-id": str(n)} for n in range(4)],
    "choices": [{"x-mcp-tools": f"azure{',' * n}"} for n in range(4)],
}


@pytest.mark.parametrize("headers", LIMITED.values(), ids=LIMITED)
async def test_whoever_comes_too_often_cannot_come_as_another(tmp_path: Path, headers: list[dict[str, str]]) -> None:
    async with attacked(tmp_path, RATE_LIMIT_PER_CALLER="2") as place:
        statuses: list[int] = []
        for more in headers:
            own = place.bearing(azp=f"client-{len(statuses)}", roles=[f"r{len(statuses)}"])
            statuses.append((await mcp(place, own | more)).status)
        assert statuses == [200, 200, 429, 429]


async def test_on_azure_who_has_not_signed_in_reads_what_is_public_and_no_more(tmp_path: Path) -> None:
    azure = {"AUTH_MODE": "none", "WEBSITE_INSTANCE_ID": "x", "MCP_ALLOWED_HOSTS": "localhost:*"}
    async with attacked(tmp_path, **azure) as place:
        for headers in ({}, place.bearing(roles=["Admin"]), principal_headers()):
            answer = await mcp(place, headers)
            assert b"refresh_azure_updates" not in answer.body
            call = {"name": "refresh_azure_updates", "arguments": {"full": True}}
            gains_nothing(
                await place.app.endpoint.handle(message("tools/call", call, headers=headers), "all"), 200, 400
            )
            wish = {"tool": "azure-updates", "command": "refresh_azure_updates", "parameters": {"full": True}}
            for way in ("azure", "azure_change"):
                learned = message("tools/call", {"name": way, "arguments": wish}, headers=headers)
                gains_nothing(await place.app.endpoint.handle(learned), 200, 400)
