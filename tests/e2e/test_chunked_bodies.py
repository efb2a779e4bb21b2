"""Bodies in chunks, as the official C# SDK sends all of its own: no Content-Length, and a charset in the type."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest

from tests.mcp_server.caller import ERAS, LEGACY, MODERN, Era, message

SDK = {"accept": "application/json, text/event-stream", "content-type": "application/json; charset=utf-8"}


async def in_chunks(body: bytes) -> AsyncIterator[bytes]:
    for at in range(0, len(body), 40):
        yield body[at : at + 40]


async def sent(url: str, method: str, path: str, body: bytes, headers: dict[str, str] | None = None) -> httpx2.Response:
    async with httpx2.AsyncClient(base_url=url, trust_env=False, timeout=30) as http:
        response = await http.request(method, path, content=in_chunks(body), headers=SDK | (headers or {}))
    assert response.request.headers["transfer-encoding"] == "chunked"
    assert "content-length" not in response.request.headers
    return response


async def asked(url: str, method: str, params: Any, era: Era, path: str = "/mcp") -> Any:
    request = message(method, params, era)
    own = {name: value for name, value in request.headers.items() if name.startswith("mcp-")}
    response = await sent(url, "POST", path, request.body, own)
    assert response.status_code == 200, response.text
    return json.loads(response.text)["result"]


@pytest.mark.parametrize("era", ERAS)
async def test_a_client_that_sends_in_chunks_lists_and_calls(app_url: str, era: Era) -> None:
    tools = (await asked(app_url, "tools/list", {}, era))["tools"]
    assert "search_azure_updates" in [tool["name"] for tool in tools]
    result = await asked(app_url, "tools/call", {"name": "whoami", "arguments": {}}, era, "/mcp/x/me")
    assert not result.get("isError"), result


async def test_a_client_that_sends_in_chunks_initializes(app_url: str) -> None:
    about = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "csharp", "version": "1"}}
    assert (await asked(app_url, "initialize", about, LEGACY))["protocolVersion"] == LEGACY
    body = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'
    assert (await sent(app_url, "POST", "/mcp", body, {"mcp-protocol-version": LEGACY})).status_code == 202


async def test_a_client_that_sends_in_chunks_discovers(app_url: str) -> None:
    assert MODERN in (await asked(app_url, "server/discover", {}, MODERN))["supportedVersions"]


async def test_plain_http_takes_arguments_in_chunks(app_url: str) -> None:
    wanted = b'{"limit": 1, "query": "storage"}'
    for path, body in (
        ("/tools/search_azure_updates", wanted),
        ("/tools/execute", b'{"tool": "search_azure_updates", "arguments": %b}' % wanted),
        ("/mcp/tools/execute", b'{"tool_name": "search_azure_updates", "arguments": %b}' % wanted),
    ):
        response = await sent(app_url, "POST", path, body)
        assert response.status_code == 200, response.text
        assert '"limit":1' in response.text
    begun = await sent(app_url, "POST", "/mcp/initialize", b'{"client_id": "csharp"}')
    assert begun.json()["status"] == "initialized"


async def test_a_file_that_is_put_in_chunks_is_whole(app_url: str) -> None:
    content = b"line of a file\n" * 20_000
    path = "/resources?uri=file%3A%2F%2F%2Fchunked.txt"
    written = await sent(app_url, "PUT", path, content, {"content-type": "text/plain"})
    assert written.status_code == 201, written.text
    async with httpx2.AsyncClient(base_url=app_url, trust_env=False) as http:
        assert (await http.get(path)).content == content


@pytest.mark.parametrize("path", ["/mcp", "/mcp/x/all", "/tools/execute", "/tools/whoami", "/mcp/initialize"])
async def test_a_request_without_a_body_and_without_a_length_gets_411_everywhere(app_url: str, path: str) -> None:
    assert "no Content-Length" in (await unsaid(app_url, "POST", path)).text


async def test_nothing_is_written_where_no_body_came(app_url: str) -> None:
    path = "/resources?uri=file%3A%2F%2F%2Fempty.txt"
    assert "no Content-Length" in (await unsaid(app_url, "PUT", path)).text
    async with httpx2.AsyncClient(base_url=app_url, trust_env=False) as http:
        assert (await http.get(path)).status_code == 404
        assert (await http.put(path, content=b"")).status_code == 201  # it says that it is empty


async def unsaid(url: str, method: str, path: str) -> httpx2.Response:
    """What is answered to a request whose body was dropped on the way: it has chunks, and none comes."""
    response = await sent(url, method, path, b"")
    assert response.status_code == 411, response.text
    return response
