"""Both adapters answer alike: the same document, status, headers and record, whatever is sent."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import mcp_types
import mcp_types.version
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp.shared import inbound
from mcp_types import methods

from mcp_server.http import rest
from mcp_server.http.endpoint import Adapters, Endpoint
from mcp_server.http.messages import HttpAnswer, HttpRequest
from mcp_server.http.wire.forms import HANDSHAKE_PARAMS, MODERN_PARAMS
from mcp_server.http.wire.plain_request import plain_request
from mcp_server.protocol import header_values, names
from tests.mcp_server.archive import archive
from tests.mcp_server.caller import MODERN, message, post
from tests.mcp_server.endpoints import new_endpoint
from tests.mcp_server.hostile_bodies import CORPUS
from tests.mcp_server.library import books
from tests.mcp_server.office import TOOLSETS, mishaps
from tests.mcp_server.records import Records
from tests.offline import app_of, offline

Json = Any
VERSIONS: Final = names.KNOWN_VERSIONS
INITIALIZE: Final[Json] = {
    "protocolVersion": "2025-06-18",
    "capabilities": {"roots": {"listChanged": True}, "sampling": {}, "elicitation": {}},
    "clientInfo": {"name": "probe", "version": "1", "title": "Probe", "icons": [{"src": "data:,"}]},
}
PROMPT: Final = {"type": "ref/prompt", "name": "tidy_desk"}


def called(name: str, /, **arguments: Json) -> tuple[str, Json]:
    return "tools/call", {"name": name, "arguments": arguments}


# What clients send every day: none of it may need the SDK.
PLAIN: Final[list[tuple[str, Json]]] = [
    ("tools/list", {}),
    ("resources/list", {}),
    ("resources/templates/list", {}),
    ("prompts/list", {}),
    ("tools/list", {"cursor": "next"}),
    ("tools/list", {"cursor": None}),
    called("find_notes", words="tea"),
    called("find_notes", words="tea", limit=2, paper={"color": "green"}),
    called("find_notes", words="tea", paper='{"color":"green"}'),
    called("find_notes", words='Ω ☃ 🙂 " \\ \n'),
    called("find_notes", words="tea", limit=None),
    called("find_notes", limit="many", colour=1),
    called("find_notes"),
    called("find_note", words="tea"),
    called("write_note", text="forbidden"),
    called("write_note", text="LOUD"),
    ("tools/call", {"name": "break_pencil", "arguments": {"token": "x"}}),
    called("misread_letter"),
    called("break_promise"),
    called("brick_up_door", room="attic"),
    called("open_door", room="attic"),
    called("what_time"),
    called("list_letters"),
    called("repeat", what={"deep": [{"a": None}, 1.5, True, "é"]}),
    called("read_aloud"),
    called("show_stamp"),
    called("count_letters"),
    called("fail_politely"),
    called("retell", text="once"),
    called("azure", intent="find notes"),
    called("azure", learn=True),
    called("azure", tool="archive", command="list_letters", select="letters[].title"),
    called("azure", tool="nowhere", command="nothing"),
    called("azure", tool="office-notes", command="write_note", parameters={"text": "tea"}),
    called("azure_change", tool="office-notes", command="write_note", parameters={"text": "tea"}),
    ("tools/call", {"name": "what_time"}),
    ("tools/call", {"name": "what_time", "arguments": None}),
    ("resources/read", {"uri": "desk://inventory"}),
    ("resources/read", {"uri": "desk://drawer/left%20one"}),
    ("resources/read", {"uri": "desk://drawer/..%2F..%2Fetc"}),
    ("resources/read", {"uri": "desk://drawer/empty"}),
    ("resources/read", {"uri": "desk://nothing"}),
    ("resources/read", {"uri": "desk://" + "x" * 5000}),
    ("prompts/get", {"name": "tidy_desk", "arguments": {"drawer": "left", "when": "now"}}),
    ("prompts/get", {"name": "tidy_desk", "arguments": {"drawer": "locked"}}),
    ("prompts/get", {"name": "tidy_desk"}),
    ("prompts/get", {"name": "nothing", "arguments": {"a": "b"}}),
    ("completion/complete", {"ref": PROMPT, "argument": {"name": "drawer", "value": "l"}}),
    ("completion/complete", {"ref": PROMPT, "argument": {"name": "drawer", "value": "?"}}),
    ("completion/complete", {"ref": PROMPT, "argument": {"name": "drawer", "value": "!"}}),
    ("completion/complete", {"ref": {"type": "ref/resource", "uri": "x:y"}, "argument": {"name": "a", "value": ""}}),
]
OF_HANDSHAKE: Final[list[tuple[str, Json]]] = [
    ("ping", {}),
    ("initialize", INITIALIZE),
    ("initialize", {**INITIALIZE, "protocolVersion": "1999-01-01"}),
]
OF_NOW: Final[list[tuple[str, Json]]] = [("server/discover", {})]
# Whatever is odd about them, the SDK reads.
ODD: Final[list[tuple[str, Json]]] = [
    called("what_time", _meta=1),
    ("tools/call", {"name": "what_time", "arguments": {}, "more": 1}),
    ("tools/call", {"name": "what_time", "_meta": {"progressToken": 7}}),
    ("tools/call", {"name": "what_time", "_meta": {"x/y": [1], "traceparent": 3}}),
    ("tools/call", {"name": 7}),
    ("tools/call", {"name": "what_time", "arguments": []}),
    ("tools/list", {"cursor": 7}),
    ("prompts/get", {"name": "tidy_desk", "arguments": {"drawer": 1}}),
    ("resources/read", {"uri": None}),
    ("completion/complete", {"ref": {"type": "ref/other"}, "argument": {}}),
    ("initialize", {"protocolVersion": 1}),
    ("server/discover", {"x": 1}),
    ("logging/setLevel", {"level": "info"}),
    ("subscriptions/listen", {}),
    ("tasks/get", {"taskId": "x"}),
    ("no/such/method", {}),
    called("ask_back"),
]


@dataclass
class Pair:
    """The same office twice, each of which answers through one adapter."""

    both: Endpoint
    sdk: Endpoint

    @classmethod
    def new(cls, **how: Any) -> Pair:
        toolsets = (*TOOLSETS, mishaps, archive, books)
        made = [new_endpoint(toolsets=toolsets, adapters=adapters, **how) for adapters in Adapters]
        return cls(*made)

    async def answers(self, request: HttpRequest, toolsets: str | None = "all") -> list[Json]:
        """What came of a request at each, with all that may differ made equal."""
        return [await seen(endpoint, request, toolsets) for endpoint in (self.both, self.sdk)]

    @property
    def is_plain(self) -> bool:
        """Whether nothing has needed the SDK so far."""
        return "sdk" not in vars(self.both)


async def seen(endpoint: Endpoint, request: HttpRequest, toolsets: str | None) -> Json:
    with Records.kept() as records:
        answer = await endpoint.handle(request, toolsets)
    return told(answer), [even(record) for record in (*records.all, *records.attempts)]


def told(answer: HttpAnswer) -> Json:
    headers = {name: value for name, value in answer.headers.items() if name != "content-length"}
    is_json = headers.get("content-type") == "application/json" and answer.body
    return answer.status, headers, json.loads(even_text(answer.body)) if is_json else even_text(answer.body)


def even(record: Mapping[str, Json]) -> Json:
    return {name: value for name, value in record.items() if name not in {"time", "milliseconds", "trace", "change"}}


def even_text(body: bytes) -> str:
    """The text without what is made by chance: incidents, changes, codes and sealed states."""
    text = re.sub(r"Incident \w{12}", "Incident", body.decode())
    text = re.sub(r"confirm: '[^']+'|changes/[\w-]+", "change", text)
    text = re.sub(r'(\\?"(?:id|requestState|address)\\?":\\?")[^"\\]+', r"\1", text)
    return re.sub(r"\d+ minutes", "minutes", text)


def sent(method: str, params: Json, version: str, **headers: str) -> HttpRequest:
    if version == MODERN:
        return message(method, params, MODERN, headers)
    document = {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}
    return post(json.dumps(document).encode(), {"mcp-protocol-version": version, **headers})


def methods_of(version: str) -> list[tuple[str, Json]]:
    return [*PLAIN, *(OF_NOW if version == MODERN else OF_HANDSHAKE)]


@pytest.mark.anyio
@pytest.mark.parametrize("notice", ["", "This is a trial."])
@pytest.mark.parametrize("version", VERSIONS)
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
    spoilt = {**again, "requestState": asked["requestState"][:-2] + "AA"}
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


VALUES: Final = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-3, 3), st.sampled_from(["", "a", "what_time", MODERN])),
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(st.sampled_from("abc"), inner, max_size=2)),
    max_leaves=4,
)
SPOILT: Final = st.tuples(st.sampled_from(range(6)), VALUES)


def spoil(document: Json, at: int, value: Json) -> Json:
    """The document with one value of it replaced, somewhere."""
    if isinstance(document, dict) and document:
        name = sorted(document)[at % len(document)]
        inner = document[name]
        whole = at % 2 or not isinstance(inner, dict)
        return {**document, name: value if whole else spoil(inner, at // 2, value)}
    return value


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(version=st.sampled_from(VERSIONS), case=st.data())
def test_what_the_wire_accepts_the_sdk_accepts(version: str, case: st.DataObject) -> None:
    method, params = case.draw(st.sampled_from(methods_of(version)))
    request = sent(method, params, version)
    at, value = case.draw(SPOILT)
    spoilt = replace(request, body=json.dumps(spoil(json.loads(request.body), at, value)).encode())
    plain = plain_request(spoilt)
    if plain is not None and plain.id is not None:
        methods.validate_client_request(plain.method, version, json.loads(spoilt.body).get("params"))


def test_each_method_has_forms_in_each_version_that_has_it() -> None:
    known = {(method, version) for method, version in methods.CLIENT_REQUESTS if method not in _ONLY_OF_THE_SDK}
    ours = {(method, version) for version in names.HANDSHAKE_VERSIONS for method in HANDSHAKE_PARAMS}
    ours |= {(method, MODERN) for method in MODERN_PARAMS if not method.startswith("tasks/")}
    assert ours == known


_ONLY_OF_THE_SDK: Final = {
    "logging/setLevel",
    "resources/subscribe",
    "resources/unsubscribe",
    "subscriptions/listen",
}


def test_names_and_numbers_are_those_of_the_sdk() -> None:
    ours = {name: value for name, value in vars(names).items() if name.isupper()}
    theirs: dict[str, Json] = {
        "HANDSHAKE_VERSIONS": mcp_types.version.HANDSHAKE_PROTOCOL_VERSIONS,
        "MODERN_VERSIONS": mcp_types.version.MODERN_PROTOCOL_VERSIONS,
        "KNOWN_VERSIONS": mcp_types.version.KNOWN_PROTOCOL_VERSIONS,
        "LATEST_HANDSHAKE_VERSION": mcp_types.version.LATEST_HANDSHAKE_VERSION,
        "LATEST_MODERN_VERSION": mcp_types.version.LATEST_MODERN_VERSION,
        "DEFAULT_VERSION": mcp_types.DEFAULT_NEGOTIATED_VERSION,
        "VERSION_HEADER": inbound.MCP_PROTOCOL_VERSION_HEADER,
        "METHOD_HEADER": inbound.MCP_METHOD_HEADER,
        "NAME_HEADER": inbound.MCP_NAME_HEADER,
        "NAMED_BY": dict(inbound.NAME_BEARING_METHODS),
        "HEADER_MARK": inbound.X_MCP_HEADER_KEY,
        "VERSION_KEY": mcp_types.PROTOCOL_VERSION_META_KEY,
        "CLIENT_INFO_KEY": mcp_types.CLIENT_INFO_META_KEY,
        "CAPABILITIES_KEY": mcp_types.CLIENT_CAPABILITIES_META_KEY,
        "SERVER_INFO_KEY": mcp_types.SERVER_INFO_META_KEY,
        "PROGRESS_KEY": "progressToken",
        "PARSE_ERROR": mcp_types.PARSE_ERROR,
        "INVALID_REQUEST": mcp_types.INVALID_REQUEST,
        "METHOD_NOT_FOUND": mcp_types.METHOD_NOT_FOUND,
        "INVALID_PARAMS": mcp_types.INVALID_PARAMS,
        "INTERNAL_ERROR": mcp_types.INTERNAL_ERROR,
        "HEADER_MISMATCH": mcp_types.HEADER_MISMATCH,
        "MISSING_CAPABILITY": mcp_types.MISSING_REQUIRED_CLIENT_CAPABILITY,
        "UNSUPPORTED_VERSION": mcp_types.UNSUPPORTED_PROTOCOL_VERSION,
        "STATUSES": dict(inbound.ERROR_CODE_HTTP_STATUS),
        "METHODS": methods.SPEC_CLIENT_METHODS,
        "NOTIFICATIONS": methods.SPEC_CLIENT_NOTIFICATION_METHODS,
    }
    assert ours == theirs


@given(st.text(max_size=20))
def test_header_values_are_read_and_written_as_the_sdk_does(value: str) -> None:
    try:
        written = inbound.encode_header_value(value)
    except UnicodeEncodeError:
        return
    assert header_values.encoded(value) == written
    assert header_values.decoded(written) == value
    assert header_values.decoded(value) == inbound.decode_header_value(value)
