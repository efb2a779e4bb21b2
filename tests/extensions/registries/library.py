"""A registry with the API of the official one, and documents as others publish them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from aiohttp import ClientSession, web

from extensions.registries.server_json import OF_THE_REGISTRY
from refusal import Refusal

Json = dict[str, Any]

WEATHER: Final[Json] = {
    "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
    "name": "io.example/weather",
    "title": "Weather",
    "description": "Forecasts for fields and orchards",
    "version": "1.4.0",
    "repository": {"url": "https://github.com/example/weather", "source": "github"},
    "remotes": [
        {
            "type": "streamable-http",
            "url": "https://{region}.weather.example/mcp",
            "variables": {"region": {"description": "Where", "default": "eu", "choices": ["eu", "us"]}},
            "headers": [{"name": "X-Key", "description": "Yours", "isRequired": True, "isSecret": True}],
        },
        {"type": "sse", "url": "https://weather.example/sse"},
    ],
    "packages": [
        {
            "registryType": "npm",
            "registryBaseUrl": "https://registry.npmjs.org",
            "identifier": "@example/weather",
            "version": "1.4.0",
            "runtimeHint": "npx",
            "transport": {"type": "stdio"},
            "packageArguments": [
                {"type": "positional", "value": "serve"},
                {"type": "named", "name": "--units", "default": "metric"},
                {"type": "positional", "valueHint": "folder", "isRequired": True},
            ],
            "environmentVariables": [{"name": "WEATHER_KEY", "isSecret": True, "isRequired": True}],
        },
        {"registryType": "oci", "identifier": "docker.io/example/weather", "transport": {"type": "stdio"}},
    ],
}
AZD: Final[Json] = {
    "extensions": [
        {
            "id": "example.bakery",
            "namespace": "bakery",
            "displayName": "Bakery",
            "description": "Bread as a service",
            "versions": [
                {"version": "0.1.0", "capabilities": ["custom-commands"]},
                {
                    "version": "0.2.0",
                    "requiredAzdVersion": ">= 1.20.0",
                    "capabilities": ["custom-commands", "mcp-server"],
                    "dependencies": [{"id": "example.oven", "version": "~1.0"}],
                    "mcp": {"server": {"args": ["serve"], "env": ["OVEN=hot"]}},
                    "artifacts": {
                        "linux/amd64": {
                            "url": "https://bakery.example/bakery-linux-amd64.tar.gz",
                            "checksum": {"algorithm": "sha256", "value": "AB" * 32},
                        },
                    },
                },
            ],
        },
        {"id": "example.lint", "versions": [{"version": "1.0.0", "capabilities": ["lifecycle-events"]}]},
        {"id": "not an id"},
        7,
    ],
}


def named(name: str, **more: Any) -> Json:
    return {"name": name, "description": "", "version": "1.0.0", **more}


def listed(server: Json, **about: Any) -> Json:
    return {"server": server, "_meta": {OF_THE_REGISTRY: {"status": "active", "isLatest": True, **about}}}


@dataclass
class FakeRegistry:
    """Finds by a part of the name, gives pages, and answers 404 for what it has not."""

    servers: list[Any] = field(default_factory=list)
    page: int = 100
    asked: list[str] = field(default_factory=list)
    url: str = ""

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[None]:
        app = web.Application()
        app.router.add_get("/v0.1/servers", self._list)
        app.router.add_get("/v0.1/servers/{name}/versions/{version}", self._one)
        runner = web.AppRunner(app, shutdown_timeout=0)
        await runner.setup()
        try:
            await web.TCPSite(runner, "127.0.0.1", 0).start()
            self.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
            yield
        finally:
            await runner.cleanup()

    async def _list(self, request: web.Request) -> web.Response:
        self.asked.append(request.query_string)
        begin = int(request.query.get("cursor") or 0)
        fitting = [one for one in self.servers if request.query.get("search", "").lower() in str(one).lower()]
        more = {"nextCursor": str(begin + self.page)} if begin + self.page < len(fitting) else {}
        found = fitting[begin : begin + self.page]
        return web.json_response({"servers": found, "metadata": {"count": len(found), **more}})

    async def _one(self, request: web.Request) -> web.Response:
        self.asked.append(request.raw_path)
        name, version = request.match_info["name"], request.match_info["version"]
        for one in self.servers:
            if one["server"]["name"] == name and version in {"latest", one["server"]["version"]}:
                return web.json_response(one)
        return web.json_response({"title": "Not Found", "status": 404}, status=404)

    async def read(self, address: str) -> bytes:
        async with ClientSession() as session, session.get(address) as response:
            if response.status != 200:
                raise Refusal(f"It answered with status {response.status}.")
            return await response.read()
