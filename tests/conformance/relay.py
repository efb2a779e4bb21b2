"""Takes the name of an extension off, and puts it on, between the suite and this server.

The suite asks for tools, prompts and resources by names of its own, and every name of an extension begins with that of
the extension. Nothing else is touched: what it says over HTTP, its headers and bodies go through as they are.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from aiohttp import ClientSession, web

Json = dict[str, Any]
NAME_HEADER: Final = "Mcp-Name"
_OF_ONE_CONNECTION: Final = {"connection", "content-length", "transfer-encoding", "keep-alive"}
_NAMED: Final = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}


class Relay:
    def __init__(self, url: str, extension: str) -> None:
        self._url = url
        self._before = {"name": f"{extension}_", "uri": f"x-{extension}:", "uriTemplate": f"x-{extension}:"}

    async def pass_on(self, request: web.Request) -> web.StreamResponse:
        headers = {name: value for name, value in request.headers.items() if name.lower() not in _OF_ONE_CONNECTION}
        body = await request.read()
        async with (
            ClientSession(auto_decompress=False) as session,
            session.request(
                request.method, self._url, data=self._asked(body, headers), headers=headers, allow_redirects=False
            ) as answer,
        ):
            return await self._told(request, answer)

    async def _told(self, request: web.Request, answer: Any) -> web.StreamResponse:
        kept = {name: value for name, value in answer.headers.items() if name.lower() not in _OF_ONE_CONNECTION}
        if answer.content_type != "text/event-stream":
            return web.Response(status=answer.status, body=self._plain(await answer.read()), headers=kept)
        response = web.StreamResponse(status=answer.status, headers=kept)
        await response.prepare(request)
        async for line in answer.content:
            data = line.removeprefix(b"data: ")
            await response.write(b"data: " + self._plain(data) + b"\n" if data != line else line)
        return response

    def _asked(self, body: bytes, headers: dict[str, str]) -> bytes:
        try:
            message = json.loads(body)
        except ValueError:
            return body
        params = message.get("params") if isinstance(message, dict) else None
        if not isinstance(params, dict):
            return body
        if (kind := _NAMED.get(message.get("method", ""))) and isinstance(params.get(kind), str):
            params[kind] = self._before[kind] + params[kind]
            for name in [name for name in headers if name.lower() == NAME_HEADER.lower()]:
                headers[name] = self._before[kind] + headers[name]
        if isinstance(ref := params.get("ref"), dict):
            self._put_on(ref)
        return json.dumps(message).encode()

    def _plain(self, body: bytes) -> bytes:
        try:
            message = json.loads(body)
        except ValueError:
            return body
        result = message.get("result")
        for list_name in ("tools", "prompts", "resources", "resourceTemplates", "contents", "content"):
            for one in (result or {}).get(list_name, []) if isinstance(result, dict) else []:
                self._take_off(one)
        for said in result.get("messages", []) if isinstance(result, dict) else []:
            self._take_off(said["content"])
        return json.dumps(message).encode()

    def _put_on(self, one: Json) -> None:
        for kind, before in self._before.items():
            if isinstance(one.get(kind), str):
                one[kind] = before + one[kind]

    def _take_off(self, one: Json) -> None:
        for kind, before in self._before.items():
            if isinstance(one.get(kind), str):
                one[kind] = one[kind].removeprefix(before)
        if isinstance(one.get("resource"), dict):
            self._take_off(one["resource"])


@contextmanager
def relaying(url: str, extension: str) -> Iterator[str]:
    """The address of a relay, which runs in a thread of its own."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        runner = asyncio.run_coroutine_threadsafe(_served(Relay(url, extension)), loop).result()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/mcp"
        asyncio.run_coroutine_threadsafe(runner.cleanup(), loop).result()
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _served(relay: Relay) -> web.AppRunner:
    app = web.Application()
    app.router.add_route("*", "/mcp", relay.pass_on)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    return runner
