"""An app with workspaces, and a git server that it may go to."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from app.build import App, build
from settings import PlaceSettings, ServerSettings, Settings, SignInSettings, StorageSettings
from tests.fakes.workspaces.git_server import GitServer
from tests.mcp_server.caller import Caller, Json
from tools.workspace.settings import WorkspacesSettings


@dataclass(frozen=True)
class Office:
    app: App
    server: GitServer

    async def __call__(self, tool: str, **arguments: Json) -> Json:
        answer = await Caller(self.app.endpoint, "workspace").call(tool, **arguments)
        assert not answer.get("isError"), answer["content"]
        return answer["structuredContent"]

    async def refused(self, tool: str, **arguments: Json) -> str:
        answer = await Caller(self.app.endpoint, "workspace").call(tool, **arguments)
        assert answer.get("isError"), answer
        text: str = answer["content"][0]["text"]
        return text


@asynccontextmanager
async def opened(folder: Path, rules: str = "", **settings: Json) -> AsyncIterator[Office]:
    (folder / "server").mkdir()
    given = {"places": ("127.0.0.1",), "folder": str(folder / "kept"), **settings}
    app = build(
        Settings(
            place=PlaceSettings(environment="Development"),
            of_providers=(WorkspacesSettings(**given),),
            storage=StorageSettings(folder=str(folder / "storage")),
            sign_in=SignInSettings(roles_file=rules),
            server=ServerSettings(laptop_keeps_rules=bool(rules)),
        )
    )
    async with GitServer(folder / "server").serving() as server:
        server.repository()
        try:
            yield Office(app, server)
        finally:
            await app.close()
