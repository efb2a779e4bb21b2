"""Further attacks over HTTP: bodies, addresses, headers, tokens, sessions and forms that mean ill."""

from __future__ import annotations

import json
from base64 import b64encode, urlsafe_b64decode, urlsafe_b64encode
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any, Final

import pytest

from mcp_server.http.messages import HttpAnswer
from tests.attacks.front import Front
from tests.attacks.place import Place, attacked, tells_nothing_of_the_inside
from tests.identity.principals import principal, principal_headers
from tests.sweeps import Sweep

pytestmark = pytest.mark.anyio

Headers = dict[str, str | None]


@pytest.fixture(scope="module")
async def place(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Place]:
    async with attacked(tmp_path_factory.mktemp("storage")) as built:
        yield built


@pytest.fixture
def front(place: Place) -> Front:
    return Front(place.app)


def refused(answer: HttpAnswer, *statuses: int) -> None:
    assert answer.status in statuses, (answer.status, answer.body[:300])
    tells_nothing_of_the_inside(answer)
    assert len(answer.body) <= 32 * 1024


# --- bodies of plain HTTP

BODIES: Final[Mapping[str, bytes]] = {
    "no JSON": b"tool=whoami",
    "an open object": b'{"tool": "whoami"',
    "two documents": b'{"tool": "whoami"} {"tool": "whoami"}',
    "a comment": b'{"tool": "whoami" /* x */}',
    "a comma too many": b'{"tool": "whoami",}',
    "single quotes": b"{'tool': 'whoami'}",
    "a list": b'[{"tool": "whoami"}]',
    "a text": b'"whoami"',
    "a number": b"1",
    "null": b"null",
    "an empty object": b"{}",
    "a byte order mark": b"\xef\xbb\xbf[]",
    "another encoding": '{"tool": "whoami"}'.encode("utf-16"),
    "broken UTF-8": b'{"tool": "\xff"}',
    "a byte of nothing": b'{"tool": "who\0ami"}',
    "half of a surrogate pair": b'{"tool": "\\ud800"}',
    "a tool that is a number": b'{"tool": 1}',
    "a tool that is a list": b'{"tool": ["whoami"]}',
    "a tool that is an object": b'{"tool": {"name": "whoami"}}',
    "no tool": b'{"arguments": {}}',
    "an empty tool": b'{"tool": ""}',
    "a long tool": b'{"tool": "%s"}' % (b"a" * 5000),
    "arguments that are a list": b'{"tool": "whoami", "arguments": []}',
    "arguments that are a text": b'{"tool": "whoami", "arguments": "{}"}',
    "arguments that are null": b'{"tool": "whoami", "arguments": null}',
    "another member": b'{"tool": "whoami", "arguments": {}, "caller": "admin"}',
    "both names of a tool": b'{"tool": "whoami", "tool_name": "whoami"}',
    "a prototype": b'{"tool": "whoami", "__proto__": {"admin": true}}',
    "a deep body": b'{"tool": "whoami", "arguments": ' + b'{"a":' * 2000 + b"1" + b"}" * 2001,
    "a deep list": b"[" * 60_000,
    "many values": b'{"tool": "whoami", "arguments": {"a": [%s]}}' % b",".join([b"1"] * 30_000),
    "many names": json.dumps({"tool": "whoami", "arguments": {f"n{n}": 1 for n in range(2000)}}).encode(),
    "a long name": json.dumps({"tool": "whoami", "arguments": {"n" * 5000: 1}}).encode(),
    "a number beyond any": b'{"tool": "whoami", "arguments": {"a": 1e99999}}',
    "a number of a thousand digits": b'{"tool": "whoami", "arguments": {"a": %s}}' % (b"9" * 5000),
    "not a number": b'{"tool": "whoami", "arguments": {"a": NaN}}',
    "a form": b"tool=whoami&arguments=%7B%7D",
    "XML": b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><tool>&b;</tool>',
    "YAML": b"tool: !!python/object/apply:os.system ['id']",
    "something packed": b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03",
    "a multipart": b'--x\r\nContent-Disposition: form-data; name="tool"\r\n\r\nwhoami\r\n--x--',
    "a message of MCP": b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "whoami"}}',
}


@Sweep("body", BODIES.values(), ids=BODIES, every=2)
async def test_no_odd_body_executes_anything(place: Place, front: Front, body: bytes) -> None:
    own: Headers = dict(place.bearing(roles=["Admin"]))
    for url in ("/tools/execute", "/mcp/tools/execute", "/mcp/initialize"):
        refused(await front.send("POST", url, body, own), 400, 404, 413)
        refused(await front.send("POST", url, body), 401)


# --- names of tools in the address

NAMES: Final[Mapping[str, str]] = {
    "nothing known": "nope",
    "a folder above": "..%2fexecute",
    "a class": "__class__",
    "a method": "whoami.__call__",
    "another case": "WHOAMI",
    "a space": "whoami%20",
    "a byte of nothing": "whoami%00",
    "a line": "whoami%0d%0ax-role:%20admin",
    "broken UTF-8": "%ff%fe",
    "half of a surrogate pair": "%ed%a0%80",
    "a letter of no width": "whoami%e2%80%8b",
    "a letter that looks alike": "who%d0%b0mi",
    "wide letters": "%ef%bd%97hoami",
    "coded twice": "%2577hoami",
    "a script": "%3Cscript%3Ealert(1)%3C%2Fscript%3E",
    "a template": "%7B%7B7*7%7D%7D",
    "a query": "whoami%3Fx=1",
    "a long name": "a" * 5000,
    "quotes": "%22%27",
    "a star": "*",
}


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
async def test_no_odd_name_of_a_tool_calls_one(place: Place, front: Front, name: str) -> None:
    answer = await front.send("POST", f"/tools/{name}", b"{}", dict(place.bearing(roles=["Admin"])))
    refused(answer, 400, 404, 405)
    assert b"<script>" not in answer.body or "html" not in answer.headers["content-type"]


# --- addresses and headers of resources

RESOURCES: Final[Mapping[str, tuple[str, str, Headers]]] = {
    "two addresses": ("GET", "/resources?uri=a&uri=b", {}),
    "an address by both ways": ("GET", "/resources/a?uri=b", {}),
    "a file of the machine": ("GET", "/resources?uri=file:///etc/passwd", {}),
    "a folder above": ("GET", "/resources/file%3A%2F%2F%2F..%2F..%2Fetc%2Fpasswd", {}),
    "a host": ("GET", "/resources?uri=http://169.254.169.254/metadata", {}),
    "a kind of address that there is not": ("GET", "/resources?uri=gopher://x", {}),
    "a script": ("GET", "/resources?uri=javascript:alert(1)", {}),
    "data": ("GET", "/resources?uri=data:text/html,x", {}),
    "a long address": ("GET", f"/resources?uri=file:///{'a' * 5000}", {}),
    "a byte of nothing": ("GET", "/resources?uri=file:///a%00b", {}),
    "half of a surrogate pair": ("GET", "/resources?uri=%ed%a0%80", {}),
    "21 parameters": ("GET", f"/resources?{'&'.join(f'a{n}=1' for n in range(21))}", {}),
    "a thousand parameters": ("GET", f"/resources?{'a&' * 1000}", {}),
    "an unknown parameter": ("GET", "/resources?path=a", {}),
    "a cursor of somebody": ("GET", "/resources?cursor=made-up", {}),
    "a write of nothing named": ("PUT", "/resources", {}),
    "a write of an unknown kind": ("PUT", "/resources?uri=http://x/y", {}),
    "a write with a broken etag": ("PUT", "/resources?uri=file:///a", {"if-match": "x"}),
    "a write with two etags": ("PUT", "/resources?uri=file:///a", {"if-match": '"a", "b"'}),
    "a write with both conditions": ("PUT", "/resources?uri=file:///a", {"if-match": "*", "if-none-match": "*"}),
    "a write that is packed": ("PUT", "/resources?uri=file:///a", {"content-encoding": "gzip"}),
    "a write of an odd type": ("PUT", "/resources?uri=file:///a", {"content-type": "\xe9"}),
    "a write of a type with a line": ("PUT", "/resources?uri=file:///a", {"content-type": "text/html\r\nx: y"}),
    "a deletion without a condition": ("DELETE", "/resources?uri=file:///a", {}),
    "a deletion of nothing named": ("DELETE", "/resources", {"if-match": "*"}),
    "a deletion of all": ("DELETE", "/resources?uri=*", {"if-match": "*"}),
}


@pytest.mark.parametrize(("method", "url", "headers"), RESOURCES.values(), ids=RESOURCES)
async def test_no_odd_address_reads_or_writes_anything(
    place: Place, front: Front, method: str, url: str, headers: Headers
) -> None:
    body = b"x" if method == "PUT" else b""
    answer = await front.send(method, url, body, {**place.bearing(roles=["Admin"]), **headers})
    refused(answer, 400, 403, 404, 415, 428)
    assert b"root:" not in answer.body
    refused(await front.send(method, url, body, headers), 401)


# --- tokens and headers that stand for somebody


def _of_nobody(algorithm: str, claims: Mapping[str, Any]) -> str:
    parts = [{"alg": algorithm, "typ": "JWT"}, claims]
    return ".".join([*(urlsafe_b64encode(json.dumps(one).encode()).decode().rstrip("=") for one in parts), ""])


def _altered(token: str) -> str:
    head, body, seal = token.split(".")
    claims = json.loads(urlsafe_b64decode(body + "=" * (-len(body) % 4)))
    claims["roles"] = ["Admin", "Reader"]
    return ".".join([head, urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip("="), seal])


TOKENS: Final[Mapping[str, Callable[[str], Headers]]] = {
    "nothing": lambda _: {},
    "an empty header": lambda _: {"authorization": ""},
    "a scheme alone": lambda _: {"authorization": "Bearer"},
    "another scheme": lambda good: {"authorization": f"Token {good}"},
    "Basic": lambda good: {"authorization": f"Basic {b64encode(f'a:{good}'.encode()).decode()}"},
    "no seal": lambda good: {"authorization": f"Bearer {good.rpartition('.')[0]}."},
    "half of it": lambda good: {"authorization": f"Bearer {good[: len(good) // 2]}"},
    "another seal": lambda good: {"authorization": f"Bearer {good[:-8]}AAAAAAAA"},
    "another body": lambda good: {"authorization": f"Bearer {_altered(good)}"},
    "no algorithm": lambda _: {"authorization": f"Bearer {_of_nobody('none', {'roles': ['Admin']})}"},
    "a symmetric algorithm": lambda _: {"authorization": f"Bearer {_of_nobody('HS256', {'roles': ['Admin']})}x"},
    "two of them": lambda good: {"authorization": f"Bearer {good}, Bearer {good}"},
    "two schemes": lambda good: {"authorization": f"Basic x, Bearer {good}"},
    "a space in it": lambda good: {"authorization": f"Bearer {good[:10]} {good[10:]}"},
    "a line in it": lambda good: {"authorization": f"Bearer {good}\r\nx: y"},
    "a byte of nothing": lambda good: {"authorization": f"Bearer {good}\0"},
    "letters beyond ASCII": lambda good: {"authorization": f"Bearer {good}é"},
    "a long one": lambda _: {"authorization": f"Bearer {'a' * 20_000}"},
    "in another header": lambda good: {"x-authorization": f"Bearer {good}"},
    "in the header of a proxy": lambda good: {"proxy-authorization": f"Bearer {good}"},
    "in a cookie": lambda good: {"cookie": f"access_token={good}; Authorization=Bearer {good}"},
    "as a session of App Service": lambda good: {"x-zumo-auth": good},
    "as a token of App Service": lambda good: {"x-ms-token-aad-access-token": good},
    "a principal": lambda _: dict(principal_headers(principal(("roles", "Admin")))),
    "an id of a principal": lambda _: {"x-ms-client-principal-id": "admin", "x-ms-client-principal-name": "admin"},
    "a key": lambda _: {"x-functions-key": "x", "x-functions-clientid": "admin"},
    "a forwarded user": lambda _: {"x-forwarded-user": "admin", "x-remote-user": "admin"},
    "a client certificate": lambda _: {"x-arr-clientcert": "MIIB", "x-client-cert": "MIIB"},
    "an internal address": lambda _: {"x-forwarded-for": "127.0.0.1", "x-real-ip": "127.0.0.1"},
    "a session of plain HTTP": lambda _: {"session-id": "made-up"},
    "a session of MCP": lambda _: {"mcp-session-id": "made-up"},
    "another method": lambda good: {"x-http-method-override": "GET", "x-authorization": good},
}


@pytest.mark.parametrize("made", TOKENS.values(), ids=TOKENS)
async def test_nothing_but_a_good_token_opens_an_interface(
    place: Place, front: Front, made: Callable[[str], Headers]
) -> None:
    good = place.bearing(roles=["Admin"])["authorization"].removeprefix("Bearer ")
    for method, url, body in (
        ("POST", "/mcp", b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}'),
        ("GET", "/tools", b""),
        ("POST", "/tools/whoami", b"{}"),
        ("GET", "/openapi.json", b""),
        ("GET", "/updates.csv?limit=1", b""),
    ):
        refused(await front.send(method, url, body, made(good)), 400, 401, 403)
    for query in (f"access_token={good}", f"token={good}", f"authorization=Bearer%20{good}", f"code={good}"):
        refused(await front.send("GET", f"/tools?{query}", b"", made(good)), 400, 401, 403)


# --- sessions of plain HTTP

SESSIONS: Final[Mapping[str, Callable[[str], str]]] = {
    "nothing": lambda _: "",
    "a blank": lambda _: " ",
    "half of it": lambda good: good[: len(good) // 2],
    "a letter more": lambda good: f"{good}A",
    "a letter less": lambda good: good[:-1],
    "backwards": lambda good: good[::-1],
    "twice": lambda good: good * 2,
    "two of them": lambda good: f"{good},{good}",
    "in quotes": lambda good: f'"{good}"',
    "with a blank before it": lambda good: f" {good}x",
    "in another case": str.swapcase,
    "JSON": lambda _: '{"caller": "", "choice": {}}',
    "JSON in base64": lambda _: b64encode(b'{"caller": "", "choice": {}}').decode(),
    "a token": lambda _: _of_nobody("none", {}),
    "letters beyond ASCII": lambda good: f"{good}é",
    "a byte of nothing": lambda good: f"{good}\0",
    "a long one": lambda good: good + "A" * 20_000,
}


@pytest.mark.parametrize("altered", SESSIONS.values(), ids=SESSIONS)
async def test_no_altered_session_is_good(place: Place, front: Front, altered: Callable[[str], str]) -> None:
    own = place.bearing(roles=["Admin"])
    begun = await front.send("POST", "/mcp/initialize", b'{"client_id": "x", "toolsets": ["me"]}', dict(own))
    session = altered(json.loads(begun.body)["session_id"])
    for url in ("/tools", "/resources", "/updates.csv?limit=1", "/openapi.json"):
        refused(await front.send("GET", url, b"", {**own, "session-id": session}), 401)


async def test_a_session_is_no_sign_in_and_good_for_nobody_else(place: Place, front: Front) -> None:
    begun = await front.send("POST", "/mcp/initialize", b'{"client_id": "x"}', dict(place.bearing(roles=["Admin"])))
    session = json.loads(begun.body)["session_id"]
    refused(await front.send("GET", "/tools", b"", {"session-id": session}), 401)
    other = place.bearing(roles=["Admin"], oid="0b1ec7ed-0000-4000-8000-0000000000ee", sub="other")
    refused(await front.send("GET", "/tools", b"", {**other, "session-id": session}), 401)


# --- hosts and origins

HOSTS: Final[Mapping[str, str | None]] = {
    "nothing": None,
    "an empty one": "",
    "another": "evil.example",
    "one that begins alike": "localhost.evil.example",
    "one that ends alike": "evil-localhost",
    "a user": "evil.example@localhost",
    "a user of ours": "localhost@evil.example",
    "half an address": "[::1",
    "an address of another form": "[::ffff:127.0.0.1]",
    "a number": "2130706433",
    "an octal address": "0177.0.0.1",
    "a short address": "127.1",
    "all addresses": "0.0.0.0",  # noqa: S104 - nothing listens there
    "a port that is none": "localhost:x",
    "a port beyond all": "localhost:999999",
    "two of them": "localhost, evil.example",
    "a path": "localhost/x",
    "a fragment": "localhost#x",
    "a query": "localhost?x",
    "a backslash": "localhost\\evil.example",
    "a blank": "local host",
    "a line": "localhost\r\nx: y",
    "a byte of nothing": "localhost\0",
    "a dot at its end": "localhost.",
    "wide letters": "\uff4cocalhost",
    "an encoded name": "xn--\xff",
    "a long one": "a" * 9000,
}


@pytest.mark.parametrize("host", HOSTS.values(), ids=HOSTS)
async def test_no_other_host_is_answered_anywhere(place: Place, front: Front, host: str | None) -> None:
    headers: Headers = {**place.bearing(roles=["Admin"]), "host": host}
    for method, url in (("POST", "/mcp"), ("GET", "/tools"), ("GET", "/health"), ("GET", "/changes"), ("GET", "/")):
        refused(await front.send(method, url, b"", headers), 421)


ORIGINS: Final = (
    *("null", "", "https://evil.example", "http://evil.example", "http://localhost.evil.example", "https://localhost"),
    *("http://localhost@evil.example", "http://evil.example#http://localhost", "file://", "chrome-extension://x"),
    *("http://localhost:7071, https://evil.example", "http://127.0.0.1.evil.example", "//localhost", "localhost"),
    *("http://[::1", "http://local\thost", "javascript:alert(1)", "http://\uff4cocalhost", "a" * 9000),
)


@pytest.mark.parametrize("origin", ORIGINS, ids=lambda origin: origin[:40])
async def test_no_page_of_another_origin_is_answered(place: Place, front: Front, origin: str) -> None:
    headers: Headers = {**place.bearing(roles=["Admin"]), "origin": origin}
    for method, url in (("POST", "/mcp"), ("GET", "/tools"), ("POST", "/tools/whoami"), ("GET", "/updates.csv")):
        answer = await front.send(method, url, b"{}" if method == "POST" else b"", headers)
        refused(answer, 403)
        assert "access-control-allow-origin" not in answer.headers
    preflight = await front.send("OPTIONS", "/mcp", b"", {**headers, "access-control-request-method": "POST"})
    refused(preflight, 403)
