"""The ways into a place, each of which wants a sign-in."""

from __future__ import annotations

import json

from mcp_server.http import rest
from mcp_server.http.messages import HttpAnswer
from tests.attacks.place import Place
from tests.mcp_server.caller import message, post


async def mcp(place: Place, headers: dict[str, str]) -> HttpAnswer:
    return await place.app.endpoint.handle(message("tools/list", headers=headers), "all")


async def handshake(place: Place, headers: dict[str, str]) -> HttpAnswer:
    start = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": start}).encode()
    return await place.app.endpoint.handle(post(body, headers))


async def listing(place: Place, headers: dict[str, str]) -> HttpAnswer:
    return await rest.list_tools(place.app.endpoint, post(b"", headers))


async def execution(place: Place, headers: dict[str, str]) -> HttpAnswer:
    body = b'{"tool":"search_azure_updates","arguments":{"limit":1}}'
    return await rest.execute(place.app.endpoint, post(body, headers))


async def file(place: Place, headers: dict[str, str]) -> HttpAnswer:
    return await place.get("/updates.csv?limit=1", **headers)


DOORS = {"mcp": mcp, "handshake": handshake, "list": listing, "execution": execution, "file": file}
