"""An app with shelves in a folder, as agents and programs reach it: over MCP, and over plain HTTP."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from app.build import App, build
from mcp_server.http import rest, rest_resources
from mcp_server.http.messages import HttpAnswer
from settings import PlaceSettings, ServerSettings, Settings, SignInSettings, StorageSettings
from tests.mcp_server.caller import Caller, Json, post
from tools.shelves.settings import ShelvesSettings


@dataclass(frozen=True)
class Library:
    app: App
    folder: Path

    @property
    def mcp(self) -> Caller:
        return Caller(self.app.endpoint, "shelves")

    async def http(
        self, method: str, query: str = "", body: bytes = b"", path: str = "/resources", **headers: str
    ) -> HttpAnswer:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        request = replace(post(body, named), method=method, path=path, query=query)
        return await rest_resources.answer_resources(self.app.endpoint, request)

    async def execute(self, tool: str, **arguments: Json) -> HttpAnswer:
        return await rest.call_tool(self.app.endpoint, post(json.dumps(arguments).encode()), tool)

    @property
    def files(self) -> Mapping[str, bytes]:
        """What the folder has."""
        there = (path for path in self.folder.rglob("*") if path.is_file())
        return {path.relative_to(self.folder).as_posix(): path.read_bytes() for path in there}


@asynccontextmanager
async def library(folder: Path, rules: str = "") -> AsyncIterator[Library]:
    shelf = folder / "shelf"
    settings = Settings(
        place=PlaceSettings(environment="Development"),
        of_providers=(ShelvesSettings(folder=str(shelf)),),
        storage=StorageSettings(folder=str(folder / "storage")),
        sign_in=SignInSettings(roles_file=rules),
        server=ServerSettings(laptop_keeps_rules=bool(rules)),
    )
    app = build(settings)
    try:
        yield Library(app, shelf)
    finally:
        await app.close()
