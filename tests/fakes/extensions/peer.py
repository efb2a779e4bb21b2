"""Another MCP server, as raw as the wire: it speaks either era, and misbehaves as it is told."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from aiohttp import web

Json = dict[str, Any]
Answer = Callable[[web.Request, Json], Awaitable[web.StreamResponse]]
NOW: Final = "2026-07-28"
THEN: Final = "2025-11-25"


def tool(name: str, **more: Any) -> Json:
    schema = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
    return {"name": name, "description": f"Does {name}.", "inputSchema": schema, **more}


@dataclass
class Peer:
    """What it offers and does may be changed while it runs. `heard` is everything that it was sent."""

    era: str = NOW
    tools: list[Json] = field(default_factory=lambda: [tool("echo")])
    result: Json = field(default_factory=lambda: {"content": [{"type": "text", "text": "done"}]})
    # What it answers to further methods, by their names: a result, or a failure in words.
    beside: dict[str, Json | str] = field(default_factory=dict)
    # What stands for the result of a method, letter by letter.
    raw: dict[str, str] = field(default_factory=dict)
    # Takes the place of the answer to a call.
    misbehaves: Answer | None = None
    ttl: int = 60_000
    is_down: bool = False
    # The sign-in that it wants, whose header it is, and how often it turns even that away.
    wants: str = ""
    wants_in: str = "authorization"
    turns_away: int = 0
    heard: list[Json] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    sessions: set[str] = field(default_factory=set)
    news: asyncio.Event = field(default_factory=asyncio.Event)
    url: str = ""

    def methods(self) -> list[str]:
        return [message.get("method", "answer") for message in self.heard]

    def calls(self) -> list[Json]:
        return [message["params"] for message in self.heard if message.get("method") == "tools/call"]

    @property
    def last_call(self) -> Json:
        return [message for message in self.heard if message.get("method") == "tools/call"][-1]

    async def told(self, method: str) -> Json:
        """The first message of this method, waited for."""
        async with asyncio.timeout(5):
            while method not in self.methods():
                self.news.clear()
                await self.news.wait()
        return self.heard[self.methods().index(method)]

    async def answer(self, request: web.Request) -> web.StreamResponse:
        message = json.loads(await request.text())
        self.heard.append(message)
        self.news.set()
        self.headers.append({name.lower(): value for name, value in request.headers.items()})
        if self.is_down:
            return web.Response(status=503)
        if not self._lets_in(request):
            return web.Response(status=401, headers={"WWW-Authenticate": 'Bearer error="invalid_token"'})
        method = message.get("method", "")
        if "id" not in message or not method:
            return web.Response(status=202)
        has_session = request.headers.get("Mcp-Session-Id") in self.sessions
        if self.era == THEN and method != "initialize" and not has_session:
            return web.Response(status=404)
        if method == "tools/call" and self.misbehaves:
            return await self.misbehaves(request, message)
        text = json.dumps({"jsonrpc": "2.0", "id": message["id"], **self._said(method)})
        if method in self.raw:
            text = f'{{"jsonrpc": "2.0", "id": {json.dumps(message["id"])}, "result": {self.raw[method]}}}'
        return web.Response(text=text, content_type="application/json", headers=self._session(method))

    def _lets_in(self, request: web.Request) -> bool:
        if self.turns_away:
            self.turns_away -= 1
            return False
        return not self.wants or request.headers.get(self.wants_in) == self.wants

    def _session(self, method: str) -> dict[str, str]:
        if method != "initialize" or self.era != THEN:
            return {}
        name = f"session-{len(self.methods())}"
        self.sessions.add(name)
        return {"Mcp-Session-Id": name}

    def _said(self, method: str) -> Json:
        match method, self.era:
            case "initialize", era if era == THEN:
                return {
                    "result": {"protocolVersion": THEN, "capabilities": {"tools": {}}, "serverInfo": {"name": "peer"}}
                }
            case "server/discover", era if era == NOW:
                return {"result": {"supportedVersions": [NOW], "capabilities": {}, "serverInfo": {"name": "peer"}}}
            case "tools/list", _:
                return {"result": {"tools": self.tools, "ttlMs": self.ttl}}
            case "tools/call", _:
                return {"result": self.result}
        if method in self.beside:
            said = self.beside[method]
            return {"error": {"code": -32602, "message": said}} if isinstance(said, str) else {"result": said}
        return {"error": {"code": -32601, "message": "no such method"}}


async def in_events(request: web.Request, *messages: Json | str, ends: bool = True) -> web.StreamResponse:
    """Answer with a stream of these messages."""
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    for message in messages:
        data = message if isinstance(message, str) else json.dumps(message)
        await response.write(f"event: message\r\ndata: {data}\r\n\r\n".encode())
    if not ends:
        await asyncio.Event().wait()
    return response


@asynccontextmanager
async def served(peer: Peer) -> AsyncIterator[Peer]:
    app = web.Application()
    app.router.add_post("/mcp", peer.answer)
    runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    peer.url = f"http://127.0.0.1:{runner.addresses[0][1]}/mcp"
    try:
        yield peer
    finally:
        await runner.cleanup()
