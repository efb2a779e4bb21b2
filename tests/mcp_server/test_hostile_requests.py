"""Whatever is sent: never a 5xx, never a hang, never a traceback in an answer."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mcp_server.http.endpoint import Endpoint
from mcp_server.http.messages import HttpAnswer, HttpRequest
from tests.mcp_server.caller import ERAS, MODERN, message, post
from tests.mcp_server.endpoints import new_endpoint
from tests.mcp_server.hostile_bodies import CORPUS
from tests.offline import app_of, offline
from tests.sweeps import Sweep, pairs

# No caller waits so long. It only ends a test that hangs, so it is more than a busy machine needs.
SECONDS_OF_A_HANG = 60
# The nightly workflow sends many more.
REQUESTS = int(os.environ.get("FUZZ_REQUESTS", "100"))
METHODS = [
    "tools/list",
    "tools/call",
    "prompts/get",
    "resources/read",
    "completion/complete",
    "server/discover",
    "initialize",
    "notifications/initialized",
    "notifications/cancelled",
    "ping",
    "logging/setLevel",
    "subscriptions/listen",
    "resources/subscribe",
    "",
]
NAMES = [
    "search_azure_updates",
    "new_azure_firewall_rules",
    "whats_new",
    "find_notes",
    "write_note",
    "azure",
    "break_pencil",
    "tidy_desk",
    "nope",
    "",
    "__class__",
    "../x",
    "\x00",
]

Body = bytes


class Peer:
    """An endpoint on a loop of its own, which refuses to wait longer than a caller would."""

    def __init__(self, runner: asyncio.Runner, endpoint: Endpoint) -> None:
        self._runner = runner
        self._endpoint = endpoint

    def send(self, request: HttpRequest, toolsets: str | None = None) -> HttpAnswer:
        answer = self._endpoint.handle(request, toolsets)
        return self._runner.run(asyncio.wait_for(answer, SECONDS_OF_A_HANG))


@pytest.fixture(scope="module", params=["office", "app"])
def peer(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Peer]:
    with asyncio.Runner() as runner:
        if request.param == "office":
            yield Peer(runner, new_endpoint())
            return
        app = app_of(offline(tmp_path_factory.mktemp("storage")))
        yield Peer(runner, app.endpoint)
        runner.run(app.close())


def check(answer: HttpAnswer) -> None:
    assert 200 <= answer.status < 500, answer
    assert b"Traceback" not in answer.body
    assert b'.py"' not in answer.body
    assert b"pydantic" not in answer.body
    assert b'"code":0' not in answer.body
    assert b'"code":-32603' not in answer.body
    if answer.status != 202 and answer.headers.get("content-type", "").startswith("application/json"):
        json.loads(answer.body)


SPELT_VERSIONS = [None, *ERAS, "2025-03-26", "1999-01-01", "", "\x00", "é", "9" * 4000]
SPELT_BODIES = pairs(CORPUS, SPELT_VERSIONS)


@Sweep(("body", "version"), SPELT_BODIES, ids=map(str, range(len(SPELT_BODIES))), every=3)
def test_a_bad_body_is_a_clear_error(peer: Peer, body: bytes, version: str | None) -> None:
    check(peer.send(post(body, {} if version is None else {"mcp-protocol-version": version})))


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=True)
    | st.text(max_size=20)
    | st.sampled_from(NAMES),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["learn", "tool", "command", "parameters", "words", "limit", "paper"])
            | st.text(max_size=5),
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
)
params = st.fixed_dictionaries(
    {},
    optional={
        "name": st.sampled_from(NAMES) | json_values,
        "arguments": st.dictionaries(
            st.sampled_from(
                ["words", "limit", "learn", "tool", "command", "query", "filters", "sortBy", "existing_yaml"]
            ),
            json_values,
        )
        | json_values,
        "uri": st.sampled_from(["desk://inventory", "desk://drawer/a", "desk://drawer/%2e%2e", "file:///etc"])
        | st.text(),
        "cursor": json_values,
        "ref": json_values,
        "argument": json_values,
        "requestState": st.text(max_size=30),
        "_meta": st.dictionaries(st.sampled_from(["progressToken", "traceparent", "x"]), json_values, max_size=2),
    },
)
header_values = st.text(st.characters(min_codepoint=32, max_codepoint=255), max_size=40) | st.sampled_from(
    ["application/json", "text/event-stream", "*/*", MODERN, "true", "all", "azure", "=?base64?e30=?=", "office,clock"]
)
header_names = st.sampled_from(
    [
        "accept",
        "content-type",
        "content-encoding",
        "mcp-protocol-version",
        "mcp-method",
        "mcp-name",
        "mcp-param-words",
        "mcp-session-id",
        "last-event-id",
        "origin",
        "host",
        "x-mcp-toolsets",
        "x-mcp-tools",
        "x-mcp-readonly",
        "authorization",
        "traceparent",
    ]
)


@st.composite
def hostile_requests(draw: st.DrawFn) -> HttpRequest:
    """A good request of either era, spoilt in up to a few places."""
    method = draw(st.sampled_from(METHODS))
    request = message(method, _without_lone_surrogates(draw(params)), draw(st.sampled_from(ERAS)))
    spoilt = draw(st.dictionaries(header_names, header_values, max_size=2))
    request = replace(request, headers={**request.headers, **spoilt})
    if draw(st.integers(0, 9)) == 0:
        request = replace(request, method=draw(st.sampled_from(["GET", "DELETE", "OPTIONS", "PUT", "post"])))
    if draw(st.integers(0, 4)) == 0:
        at = draw(st.integers(0, len(request.body)))
        request = replace(request, body=request.body[:at] + draw(st.binary(max_size=6)) + request.body[at + 1 :])
    return request


def _without_lone_surrogates(value: Any) -> Any:
    return json.loads(json.dumps(value).replace("\\ud", "\\u0"))


@settings(
    max_examples=REQUESTS,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    database=None,
)
@given(
    request=hostile_requests(), toolsets=st.none() | st.sampled_from(["all", "clock", "nope", "", ",", "%2F", "office"])
)
def test_a_spoilt_request_is_answered(peer: Peer, request: HttpRequest, toolsets: str | None) -> None:
    check(peer.send(request, toolsets))
