"""Who speaks the protocol wrongly is told what was wrong, what it was, and what is valid."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mcp_server.http.endpoint import Endpoint
from tests.mcp_server.caller import post
from tests.mcp_server.endpoints import new_endpoint

pytestmark = pytest.mark.anyio

LIST = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).encode()
VERSIONS = ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]


@pytest.fixture
def endpoint() -> Endpoint:
    return new_endpoint()


async def mistake(endpoint: Endpoint, status: int, body: bytes = LIST, **headers: str) -> Any:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    answer = await endpoint.handle(post(body, named))
    assert answer.status == status
    return json.loads(answer.body)["error"]


async def test_a_wrong_content_type_is_named(endpoint: Endpoint) -> None:
    told = await mistake(endpoint, 400, content_type="text/plain")
    assert told["message"] == "The header Content-Type is 'text/plain', and must be application/json."


async def test_a_wrong_accept_is_named(endpoint: Endpoint) -> None:
    told = await mistake(endpoint, 406, accept="text/html")
    assert "The header Accept is 'text/html', and must contain application/json" in told["message"]


@pytest.mark.parametrize("version", ["2020-01-01", "abc", "2026-07-28 "])
async def test_a_version_that_does_not_exist_is_answered_with_those_that_do(endpoint: Endpoint, version: str) -> None:
    told = await mistake(endpoint, 400, mcp_protocol_version=version)
    assert told["code"] == -32022
    assert told["data"] == {"supported": VERSIONS, "requested": version}
    assert repr(version) in told["message"]


@pytest.mark.parametrize("body", [b"", b" \n"])
async def test_a_missing_body_is_called_missing(endpoint: Endpoint, body: bytes) -> None:
    assert "The body is missing." in (await mistake(endpoint, 400, body))["message"]
