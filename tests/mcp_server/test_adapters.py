"""Both adapters answer alike: the same document, status, headers and record, whatever is sent."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

import pytest

from mcp_server.http import rest
from mcp_server.http.endpoint import Adapters
from mcp_server.http.messages import HttpRequest
from mcp_server.protocol import names
from tests.forging import altered
from tests.mcp_server.adapter_pair import (
    ODD,
    OF_HANDSHAKE,
    OF_NOW,
    VERSIONS,
    Json,
    Pair,
    called,
    methods_of,
    seen,
    sent,
    told,
)
from tests.mcp_server.caller import MODERN, message, post
from tests.mcp_server.hostile_bodies import CORPUS
from tests.offline import app_of, offline
from tests.sweeps import Sweep, pairs


@pytest.mark.anyio
@Sweep(("version", "notice"), pairs(VERSIONS, ["", "This is a trial."]), every=2)
async def test_plain_requests_are_answered_alike_and_without_the_sdk(version: str, notice: str) -> None:
    pair = Pair.new(notice=notice)
    for method, params in methods_of(version):
        request = sent(method, params, version)
        ours = await seen(pair.both, request, "all")
        assert pair.is_plain, (method, params)
        assert ours == await seen(pair.sdk, request, "all"), (method, params)


@pytest.mark.anyio
@pytest.mark.parametrize("version", VERSIONS)
async def test_odd_requests_are_answered_alike(version: str) -> None:
    pair = Pair.new()
    for method, params in [*ODD, *OF_NOW, *OF_HANDSHAKE]:
        ours, theirs = await pair.answers(sent(method, params, version))
        assert ours == theirs, (method, params)


@pytest.mark.anyio
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("method", [*sorted(names.NOTIFICATIONS), "notifications/other", "other"])
@pytest.mark.parametrize("params", [{}, {"requestId": 1}, [], None])
async def test_notifications_are_answered_alike(version: str, method: str, params: Json) -> None:
    body = json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode()
    pair = Pair.new()
    ours, theirs = await pair.answers(post(body, {"mcp-protocol-version": version}))
    assert ours == theirs


@pytest.mark.anyio
@pytest.mark.parametrize("version", [None, *VERSIONS, "1999-01-01"])
async def test_hostile_bodies_are_answered_alike(version: str | None) -> None:
    pair = Pair.new()
    for body in CORPUS:
        ours, theirs = await pair.answers(post(body, {"mcp-protocol-version": version} if version else {}))
        assert ours == theirs, body[:200]


HEADERS: Final[list[dict[str, str]]] = [
    {"accept": "application/json"},
    {"accept": "*/*"},
    {"accept": "text/event-stream"},
    {"accept": "application/json;q=0.5, text/event-stream"},
    {"accept": "APPLICATION/JSON"},
    {"content-type": "application/json; charset=utf-8"},
    {"content-type": "application/json;charset=latin-1"},
    {"content-type": "text/plain"},
    {"mcp-name": "other"},
    {"mcp-name": "=?base64?d2hhdF90aW1l?="},
    {"mcp-name": "=?base64?d2hhdF90aW1l=?="},
    {"mcp-method": "tools/list"},
    {"mcp-method": "TOOLS/CALL"},
    {"mcp-protocol-version": "2025-11-25"},
    {"mcp-protocol-version": " 2026-07-28"},
    {"mcp-session-id": "x"},
    {"x-mcp-tools": "what_time"},
    {"x-mcp-toolsets": "nothing"},
    {"origin": "http://localhost:1"},
    {"origin": "https://evil.example"},
]


@pytest.mark.anyio
@pytest.mark.parametrize("version", [MODERN, "2025-11-25"])
@pytest.mark.parametrize("headers", HEADERS, ids=map(str, HEADERS))
async def test_headers_are_read_alike(version: str, headers: dict[str, str]) -> None:
    pair = Pair.new()
    ours, theirs = await pair.answers(sent(*called("what_time"), version, **headers))
    assert ours == theirs


CAPABILITIES: Final[list[Json]] = [
    {},
    {"elicitation": {}},
    {"elicitation": {"form": {}}},
    {"elicitation": {"url": {}}},
    {"elicitation": {"form": None, "url": {}}},
    {"elicitation": None},
    {"sampling": {}},
    {"sampling": {"tools": {}}},
    {"experimental": {"x": {"y": 1}}, "extensions": {"a/b": {}}},
    {"extensions": {"a/b": 1}},
    {"roots": {"listChanged": "yes"}},
    {"other": 1},
    [],
]


@pytest.mark.anyio
@pytest.mark.parametrize("capabilities", CAPABILITIES, ids=map(str, CAPABILITIES))
@pytest.mark.parametrize(
    "call", [called("brick_up_door", room="attic"), called("retell", text="x"), called("ask_back")]
)
async def test_clients_are_asked_alike(capabilities: Json, call: tuple[str, Json]) -> None:
    pair = Pair.new()
    method, params = call
    asking = {**params, "_meta": {names.CAPABILITIES_KEY: capabilities}}
    ours, theirs = await pair.answers(message(method, asking))
    assert ours == theirs


@pytest.mark.anyio
async def test_a_state_that_one_adapter_seals_the_other_opens() -> None:
    pair = Pair.new()
    asking = {"name": "ask_back", "arguments": {}, "_meta": {names.CAPABILITIES_KEY: {"elicitation": {}}}}
    asked = json.loads((await pair.both.handle(message("tools/call", asking), "all")).body)["result"]
    again = {**asking, "requestState": asked["requestState"], "inputResponses": {"which": {"action": "decline"}}}
    assert b'"input_required"' in (await pair.sdk.handle(message("tools/call", again), "all")).body
    spoilt = {**again, "requestState": altered(asked["requestState"])}
    assert b"Invalid or expired requestState" in (await pair.both.handle(message("tools/call", spoilt), "all")).body


REST: Final[list[Json]] = [
    {"tool": "find_notes", "arguments": {"words": "tea"}},
    {"tool_name": "find_notes", "arguments": {"words": "tea"}},
    {"tool": "find_notes", "arguments": {}},
    {"tool": "write_note", "arguments": {"text": "forbidden"}},
    {"tool": "break_pencil", "arguments": {"token": "x"}},
    {"tool": "brick_up_door", "arguments": {"room": "attic"}},
    {"tool": "show_stamp"},
    {"tool": "fail_politely"},
    {"tool": "nothing"},
    {"tool": 1},
    [],
]


@pytest.mark.anyio
@pytest.mark.parametrize("body", REST, ids=map(str, REST))
async def test_plain_http_is_answered_alike_and_without_the_sdk(body: Json) -> None:
    pair = Pair.new()
    request = replace(post(json.dumps(body).encode()), path="/tools/execute")
    ours, theirs = [told(await rest.execute(endpoint, request)) for endpoint in (pair.both, pair.sdk)]
    assert ours == theirs
    assert pair.is_plain


@pytest.mark.anyio
async def test_tools_are_listed_alike_over_plain_http() -> None:
    pair = Pair.new()
    request = HttpRequest("GET", "/tools", {"host": "localhost"}, b"")
    listed = [await rest.list_tools(endpoint, request) for endpoint in (pair.both, pair.sdk)]
    ours, theirs = [json.loads(answer.body) for answer in listed]
    assert ours == theirs
    assert pair.is_plain


@pytest.fixture(scope="module")
def apps(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Any, Any, asyncio.Runner]]:
    with asyncio.Runner() as runner:
        made = [
            app_of({**offline(tmp_path_factory.mktemp("storage")), "MCP_ADAPTER": adapters}) for adapters in Adapters
        ]
        yield made[0], made[1], runner
        for app in made:
            runner.run(app.close())


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("toolsets", [None, "all"])
def test_the_app_lists_alike(apps: tuple[Any, Any, asyncio.Runner], version: str, toolsets: str | None) -> None:
    both, sdk, runner = apps
    for method in ("tools/list", "resources/list", "resources/templates/list", "prompts/list"):
        ours, theirs = [
            told(runner.run(app.endpoint.handle(sent(method, {}, version), toolsets))) for app in (both, sdk)
        ]
        assert ours == theirs, method
