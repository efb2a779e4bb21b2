"""An app that installs other servers from a source of the tests."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from app.build import App
from tests.extensions.place import app_at, running
from tests.fakes.extensions.peer import Json, Peer
from tests.mcp_server.caller import Caller
from tools.extensions.installing.settings import SourceSettings


class Registry:
    """A file in which one server is offered."""

    def __init__(self, folder: Path, peer: Peer) -> None:
        self.path = folder / "registry.json"
        self.offer(peer)

    def offer(self, peer: Peer, **more: Any) -> None:
        remotes = [{"type": "streamable-http", "url": peer.url}]
        server = {"name": "io.example/weather", "version": "1.0.0", "title": "Weather", "description": "Rain or sun."}
        self.path.write_text(json.dumps({"servers": [{**server, "remotes": remotes, **more}]}), encoding="utf-8")


def origin(peer: Peer) -> str:
    return peer.url.removesuffix("/mcp")


@asynccontextmanager
async def shop(
    folder: Path,
    peer: Peer,
    entries: str = "",
    *,
    read_only: bool = False,
    npm: str = "https://a.example",
    **settings: Any,
) -> AsyncIterator[App]:
    given = {"sources": (str(folder / "registry.json"),), "addresses": (origin(peer),), **settings}
    async with running(app_at(folder, entries, sources=SourceSettings(**given), npm=npm, read_only=read_only)) as app:
        yield app


def operator(app: App) -> Caller:
    return Caller(app.endpoint, "extensions-catalog,extensions")


async def data(app: App, name: str, /, **arguments: Any) -> Json:
    result = await operator(app).call(name, **arguments)
    assert not result["isError"], result
    answer: Json = result["structuredContent"]
    return answer


async def agreed(app: App, name: str, /, **arguments: Any) -> Json:
    result = await operator(app).agreed(name, **arguments)
    assert not result["isError"], result
    answer: Json = result["structuredContent"]
    return answer


READS = ["echo", "get_*"]
PACKAGE = {"registryType": "npm", "identifier": "@example/peer", "version": "1.0.0"}
NOWHERE = "http://127.0.0.1:9"
WANTED = {"name": "KEY", "isRequired": True}
