"""What is let in, and how the rest is answered."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import anyio
import pytest

from mcp_server.http.endpoint import Endpoint
from mcp_server.http.gate import LARGEST_BODY
from tests.mcp_server.caller import ERAS, Era, message, post
from tests.mcp_server.endpoints import new_endpoint


@pytest.mark.parametrize("method", ["GET", "DELETE"])
async def test_a_method_without_meaning_here_is_answered_405_naming_post(endpoint: Endpoint, method: str) -> None:
    answer = await endpoint.handle(replace(post(b""), method=method))
    assert (answer.status, answer.headers["allow"]) == (405, "POST")


@pytest.mark.parametrize(
    "host", ["localhost", "localhost:7071", "127.0.0.1:1", "[::1]:80", "OFFICE.example.com", "office.example.com:443"]
)
async def test_an_allowed_host_is_served(endpoint: Endpoint, host: str) -> None:
    assert (await endpoint.handle(message("tools/list", headers={"host": host}))).status == 200


@pytest.mark.parametrize(
    "host", ["", "evil.example.com", "localhost.evil.com", "localhost:7071.evil.com", "office.example.com:99", "::1"]
)
async def test_another_host_is_misdirected(endpoint: Endpoint, host: str) -> None:
    assert (await endpoint.handle(message("tools/list", headers={"host": host}))).status == 421


@pytest.mark.parametrize("origin", ["null", "", "https://localhost:7071", "http://localhost.evil.com", "http://evil"])
async def test_a_page_of_another_origin_is_refused(endpoint: Endpoint, origin: str) -> None:
    answer = await endpoint.handle(message("tools/list", headers={"origin": origin}))
    assert answer.status == 403
    assert "access-control-allow-origin" not in answer.headers


async def test_a_page_of_an_allowed_origin_may_read_the_answer(endpoint: Endpoint) -> None:
    answer = await endpoint.handle(message("tools/list", headers={"origin": "http://localhost:3000"}))
    assert answer.status == 200
    assert answer.headers["access-control-allow-origin"] == "http://localhost:3000"


async def test_a_preflight_is_answered_with_what_it_asked_for(endpoint: Endpoint) -> None:
    headers = {"origin": "http://localhost:3000", "access-control-request-headers": "authorization, mcp-method"}
    answer = await endpoint.handle(replace(post(b"", headers), method="OPTIONS"))
    assert answer.status == 204
    assert answer.headers["access-control-allow-headers"] == "authorization, mcp-method"
    assert answer.headers["access-control-allow-methods"] == "POST"


async def test_a_preflight_cannot_plant_headers(endpoint: Endpoint) -> None:
    headers = {"origin": "http://localhost:3000", "access-control-request-headers": "a\r\nset-cookie: b"}
    answer = await endpoint.handle(replace(post(b"", headers), method="OPTIONS"))
    assert "access-control-allow-headers" not in answer.headers


async def test_a_body_over_the_limit_is_413(endpoint: Endpoint) -> None:
    assert (await endpoint.handle(post(b" " * (LARGEST_BODY + 1)))).status == 413


async def test_a_body_of_unknown_length_is_told_why_it_arrives_empty(endpoint: Endpoint) -> None:
    request = post(b"")
    chunked = replace(request, headers={k: v for k, v in request.headers.items() if k != "content-length"})
    answer = await endpoint.handle(chunked)
    assert answer.status == 411
    assert "Content-Length" in json.loads(answer.body)["error"]["message"]


async def test_many_first_requests_at_once_are_all_answered(endpoint: Endpoint) -> None:
    statuses: list[int] = []

    async def ask(era: Era) -> None:
        call = message("tools/call", {"name": "find_notes", "arguments": {"words": "x"}}, era)
        statuses.append((await endpoint.handle(call)).status)

    async with anyio.create_task_group() as group:
        for number in range(40):
            group.start_soon(ask, ERAS[number % 2])
    assert statuses == [200] * 40


async def test_a_start_that_failed_is_tried_again() -> None:
    attempts = []

    @asynccontextmanager
    async def services() -> AsyncIterator[object]:
        attempts.append(1)
        if len(attempts) == 1:
            raise ConnectionError("the storage is away for a second")
        yield None

    endpoint = new_endpoint(services)
    call = message("tools/call", {"name": "find_notes", "arguments": {"words": "x"}})
    failed = await endpoint.handle(call)
    assert failed.status == 500
    assert b"tell the operator" in failed.body
    assert b"storage" not in failed.body
    assert (await endpoint.handle(call)).status == 200
