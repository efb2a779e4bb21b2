"""Requests that are malformed in every way that somebody thought of, by strangers and by people who signed in."""

from __future__ import annotations

import json
import os
import random
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import pytest

from mcp_server.http.messages import HttpAnswer
from tests.attacks.front import Front
from tests.attacks.place import Place, attacked
from tests.changes.bench import HOST, Office, opened
from tests.mcp_server.caller import ERAS, message

pytestmark = pytest.mark.anyio

# The nightly workflow sends a million, in parts that end soon.
REQUESTS: Final = int(os.environ.get("FUZZ_MALFORMED", "4000"))
OF_A_PART: Final = 5_000
SEED: Final = int(os.environ.get("FUZZ_SEED", "20261123"))
_INSIDE: Final = (b"Traceback", b'.py"', b"pydantic", b"site-packages")


@dataclass(frozen=True)
class Sent:
    method: str
    url: str
    body: bytes = b""
    headers: Mapping[str, str | None] = field(default_factory=dict)


def _calls() -> list[Sent]:
    """Good requests of all interfaces."""
    said: list[tuple[str, dict[str, Any]]] = [("tools/list", {}), ("server/discover", {}), ("ping", {})]
    said += [("tools/call", {"name": name, "arguments": {}}) for name in ("whoami", "azure", "nope")]
    said += [("resources/read", {"uri": "azure-updates://guide"}), ("prompts/get", {"name": "x"})]
    said += [("completion/complete", {"ref": {}, "argument": {}}), ("tasks/get", {"taskId": "x"})]
    messages = [message(method, params, era) for method, params in said for era in ERAS]
    return [
        *(Sent("POST", url, one.body, one.headers) for one in messages for url in ("/mcp", "/mcp/x/all")),
        Sent("POST", "/mcp/initialize", b'{"client_id": "x", "toolsets": ["me"], "read_only": true}'),
        Sent("GET", "/tools?limit=2"),
        Sent("GET", "/mcp/tools?cursor=whoami"),
        Sent("POST", "/tools/execute", b'{"tool": "whoami", "arguments": {}}'),
        Sent("POST", "/mcp/tools/execute", b'{"tool_name": "whoami", "arguments": {}}'),
        Sent("POST", "/tools/whoami", b"{}"),
        Sent("GET", "/resources?cursor=x"),
        Sent("GET", "/resources?uri=azure-updates%3A%2F%2Fguide", headers={"range": "bytes=0-4"}),
        Sent("PUT", "/resources/file%3A%2F%2F%2Fa", b"text", {"content-type": "text/plain", "if-match": "*"}),
        Sent("DELETE", "/resources?uri=file:///a", headers={"if-match": '"x"'}),
        Sent("GET", "/openapi.json?version=3.0"),
        Sent("GET", "/health"),
        Sent("GET", "/updates.csv?limit=1&feed=x"),
        Sent("DELETE", "/updates.ics?feed=x"),
        Sent("GET", "/changes"),
        Sent("GET", "/changes/0000000000000-xxxxxxxxxxxxxxxxxxxxxxxx?state"),
        Sent("POST", "/changes/x", b"ticket=x&decision=approve", {"content-type": "application/x-www-form-urlencoded"}),
        Sent("GET", "/.well-known/oauth-protected-resource/mcp"),
        Sent("GET", "/"),
        Sent("GET", "/nowhere"),
    ]


def _calls_of_the_bridge() -> list[Sent]:
    form = {"content-type": "application/x-www-form-urlencoded"}
    parts = {"content-type": "multipart/form-data; boundary=x"}
    asked = "redirect_uri=http%3A%2F%2F127.0.0.1%3A1%2Fcb&response_type=code&code_challenge=x&state=x"
    return [
        Sent("POST", "/register", b'{"redirect_uris": ["http://127.0.0.1/cb"], "client_name": "x"}'),
        Sent("GET", f"/authorize?client_id=https%3A%2F%2Fxn--0.com%2Fc&{asked}"),
        Sent("GET", f"/authorize?client_id=x&{asked}"),
        Sent("POST", "/authorize", b"consent=x&decision=approve", form),
        Sent("GET", "/callback?code=x&state=y"),
        Sent("POST", "/token", b"grant_type=authorization_code&code=x&client_id=y&code_verifier=z", form),
        Sent("POST", "/token", b"grant_type=refresh_token&refresh_token=x&client_id=y", form),
        Sent("POST", "/token", b'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n--x--', parts),
        Sent("GET", "/changes"),
        Sent("POST", "/changes/x", b"ticket=x&decision=approve", form),
    ]


NASTY: Final = (
    *("", " ", "\t", "\0", "\r\n", "é", "\xff", "\u2028", "\ufeff", "\U0001f600", "\ud800", "\udcff", "[::1", "]", "%"),
    *("%00", "%ff", "%ed%a0%80", "..", "../" * 40, "//", "\\", "'", '"', "`", "${x}", "{}", "<script>", "a" * 9000),
    *("0", "-1", "1e999", "9" * 400, "٣", "null", "true", "NaN", "*", "&", ",", ";", "=", "?", "#", "xn--", "xn--\xff"),
    *("a@b", "::", ":99999999", "=?utf-8?b?x?=", "bytes=", "bytes=9-1", "W/", "Bearer ", "Bearer x.y.z"),
    *("Bearer " + "a." * 3000, "chunked", "gzip", "session=x; session=y", "for=x;host=y", "00-0-0-0"),
)
HEADERS: Final = (
    *("host", "origin", "content-type", "content-length", "content-encoding", "transfer-encoding", "accept", "cookie"),
    *("authorization", "x-zumo-auth", "x-ms-client-principal", "x-forwarded-for", "traceparent", "tracestate", "range"),
    *("if-match", "if-none-match", "if-range", "session-id", "mcp-session-id", "mcp-protocol-version", "mcp-method"),
    *("mcp-name", "mcp-param-x", "x-mcp-toolsets", "x-mcp-tools", "x-mcp-readonly", "last-event-id", "user-agent"),
    *("access-control-request-headers", "access-control-request-method", "sec-fetch-site", "x-functions-key"),
)
METHODS: Final = ("GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD", "TRACE", "CONNECT", "get", "", "\xff")
BODIES: Final = (
    *(
        b"",
        b" ",
        b"{",
        b"[]",
        b"null",
        b"0",
        b'""',
        b"\xff\xfe",
        b"\0",
        b"\xef\xbb\xbf{}",
        b'{"a":' * 2000,
        b"[" * 5000,
    ),
    *(b"{}" * 500, b'{"jsonrpc":"2.0"}', b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', b'{"tool":"\\ud800"}'),
    *(b'{"client_id":"\\u0000"}', b"a=1&a=2", b"&" * 300, b"%", b"\x1f\x8b\x08", b"--x\r\n", b"1e999", b"-0"),
    *(b'{"tool":1,"tool":"whoami"}', b'{"tool":"whoami","arguments":null}', b'{"tool_name":{}}', b"\xe2\x80"),
)
PARAMETERS: Final = ("uri", "limit", "cursor", "version", "feed", "state", "confirm", "code", "a")


class Spoiling:
    """Spoils good requests in up to three ways."""

    def __init__(self, seed: int, calls: Sequence[Sent]) -> None:
        self._dice = random.Random(seed)  # noqa: S311 - no secret comes of it
        self._calls = calls
        self._ways: list[Callable[[Sent], Sent]] = [
            *[self._with_header] * 4,
            self._without_header,
            self._of_method,
            *[self._with_url] * 2,
            self._with_parameters,
            self._with_body,
            *[self._with_bytes] * 2,
        ]

    def next(self) -> Sent:
        sent = self._dice.choice(self._calls)
        for _ in range(self._dice.randint(1, 3)):
            sent = self._dice.choice(self._ways)(sent)
        return sent

    def _nasty(self) -> str:
        return self._dice.choice(NASTY) + (self._dice.choice(NASTY) if self._dice.random() < 0.2 else "")

    def _with_header(self, sent: Sent) -> Sent:
        name = self._dice.choice(HEADERS)
        before = sent.headers.get(name) or "" if self._dice.random() < 0.3 else ""
        return replace(sent, headers={**sent.headers, name: before + self._nasty()})

    def _without_header(self, sent: Sent) -> Sent:
        return replace(sent, headers={**sent.headers, self._dice.choice(HEADERS): None})

    def _of_method(self, sent: Sent) -> Sent:
        return replace(sent, method=self._dice.choice(METHODS))

    def _with_url(self, sent: Sent) -> Sent:
        at = self._dice.randint(1, len(sent.url))
        return replace(sent, url=sent.url[:at] + self._nasty() + sent.url[at:])

    def _with_parameters(self, sent: Sent) -> Sent:
        names = self._dice.choices(PARAMETERS, k=self._dice.choice((1, 2, 21, 200)))
        query = "&".join(f"{name}={self._nasty()[:50]}" for name in names)
        return replace(sent, url=f"{sent.url}{'&' if '?' in sent.url else '?'}{query}")

    def _with_body(self, sent: Sent) -> Sent:
        return replace(sent, body=self._dice.choice(BODIES))

    def _with_bytes(self, sent: Sent) -> Sent:
        at = self._dice.randint(0, len(sent.body))
        put = self._dice.choice((self._dice.randbytes(3), b'"', b"{", b"}", b"\\ud800", b"\0", b"9" * 50, b""))
        return replace(sent, body=sent.body[:at] + put + sent.body[at + self._dice.randint(0, 3) :])


@pytest.fixture(scope="module")
async def place(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Place]:
    async with attacked(tmp_path_factory.mktemp("storage"), RATE_LIMIT_PER_CALLER="0") as built:
        yield built


def check(answer: HttpAnswer, sent: Any) -> None:
    assert 200 <= answer.status < 500, sent
    assert not any(inside in answer.body for inside in _INSIDE), sent
    if answer.headers.get("content-type", "").startswith("application/json") and answer.body.startswith((b"{", b"[")):
        json.loads(answer.body)
    for name, value in answer.headers.items():
        assert not {*name, *value} & {"\r", "\n", "\0"}, sent
        value.encode("latin-1")


@pytest.fixture(scope="module")
async def bridged(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Office]:
    limits = {"RATE_LIMIT_PER_ADDRESS": "0", "RATE_LIMIT_PER_CALLER": "0"}
    async with opened(tmp_path_factory.mktemp("bridged"), **limits) as office:
        yield office


@pytest.mark.parametrize("part", range(-(-REQUESTS // OF_A_PART)))
async def test_no_malformed_request_gets_a_5xx(place: Place, bridged: Office, part: int) -> None:
    """By turns of a stranger, of somebody who signed in, of a stranger at the bridge, and of somebody again."""
    is_at_the_bridge = part % 4 == 2
    front = Front(bridged.app if is_at_the_bridge else place.app)
    spoiling = Spoiling(SEED + part, _calls_of_the_bridge() if is_at_the_bridge else _calls())
    own = place.bearing(roles=["Admin"]) if part % 2 else {"host": HOST} if is_at_the_bridge else {}
    for _ in range(min(REQUESTS, OF_A_PART)):
        sent = spoiling.next()
        check(await front.send(sent.method, sent.url, sent.body, own | dict(sent.headers)), sent)
