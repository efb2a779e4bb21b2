"""What clients are told of the way to sign in, at the pages of the whole app."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from app.build import App
from app.pages import AppPages
from mcp_server.http.messages import HttpAnswer, HttpRequest
from tests.offline import app_of, offline

pytestmark = pytest.mark.anyio

TENANT = "7e7a7700-0000-4000-8000-00000000aaaa"
NAME = "team.example.com"
SIGN_IN = {
    "AUTH_MODE": "oauth",
    "AUTH_ISSUER": f"https://login.microsoftonline.com/{TENANT}/v2.0",
    "AUTH_AUDIENCE": "app",
    "AUTH_SCOPE": "api://app/access",
    "AUTH_BRIDGE_CLIENT_ID": "app",
    "MCP_REQUEST_STATE_KEY": "k" * 32,
    "MCP_ALLOWED_HOSTS": NAME,
}


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[App]:
    built = app_of(offline(tmp_path) | SIGN_IN)
    yield built
    await built.close()


async def asked(app: App, path: str, host: str = NAME, query: str = "", address: str = "192.0.2.7") -> HttpAnswer:
    request = HttpRequest("GET", path, {"host": host}, b"", query, address)
    pages = AppPages(app)
    if path.endswith("/mcp"):
        return await pages.resource_metadata(request, "/mcp")
    return await pages.sign_in(request)


@pytest.mark.parametrize("host", [NAME, f"{NAME}:443", f"{NAME}:80", f"{NAME}:0443", NAME.upper(), f"{NAME}:00080"])
async def test_however_a_client_spells_the_host_the_issuer_is_one(app: App, host: str) -> None:
    bridge = json.loads((await asked(app, "/.well-known/oauth-authorization-server", host)).body)
    assert (bridge["issuer"], bridge["token_endpoint"]) == (f"https://{NAME}", f"https://{NAME}/token")
    resource = json.loads((await asked(app, "/.well-known/oauth-protected-resource/mcp", host)).body)
    assert (resource["resource"], resource["authorization_servers"]) == (f"https://{NAME}/mcp", [f"https://{NAME}"])


@pytest.mark.parametrize(
    "host",
    [f"{NAME}:8443", f"{NAME}:", f"{NAME}.", f"{NAME},{NAME}", f"{NAME}:80:443", f"evil@{NAME}", f"{NAME}:\u0664"],
)
async def test_what_is_not_the_host_is_no_issuer(app: App, host: str) -> None:
    assert (await asked(app, "/.well-known/oauth-authorization-server", host)).status == 421


@pytest.mark.parametrize(
    ("host", "origin"),
    [
        ("localhost:07071", "http://localhost:7071"),
        ("LOCALHOST:80", "http://localhost"),
        ("localhost:443", "http://localhost:443"),
        ("[::1]:7071", "http://[::1]:7071"),
    ],
)
async def test_on_a_laptop_the_port_is_a_part_of_the_issuer(app: App, host: str, origin: str) -> None:
    answer = await asked(app, "/.well-known/oauth-authorization-server", host)
    assert json.loads(answer.body)["issuer"] == origin


async def test_who_names_clients_that_hang_holds_up_nobody_elsewhere(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    answered = threading.Event()

    def look_up(host: str, *_asked: Any, **_more: Any) -> list[Any]:
        if host.startswith("hang"):
            answered.wait()
        return []

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    names = ["hang0", "hang1", "hang2", "hang3"]
    hanging = [asyncio.ensure_future(_begun(app, name, "198.51.100.1")) for name in names]
    try:
        assert "does not resolve to a public address" in await _begun(app, "honest", "192.0.2.7")
        assert "too many downloads in progress" in await _begun(app, "honest", "198.51.100.1")
    finally:
        answered.set()
        await asyncio.gather(*hanging)


async def _begun(app: App, name: str, address: str) -> str:
    """What is told to who begins a sign-in from that address for a client that publishes what it is."""
    query = f"client_id=https://{name}.example.net/about"
    return (await asked(app, "/authorize", query=query, address=address)).body.decode()
