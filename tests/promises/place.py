"""An app with every tool, to which people come who may do everything, only read, or nothing."""

from __future__ import annotations

import gc
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from app.build import App
from mcp_server.catalog.catalog import Selection
from mcp_server.declarations.tool import Tool
from mcp_server.http import rest
from mcp_server.http.messages import HttpAnswer, HttpRequest
from tests.configured import configured
from tests.fakes.issuer import AUDIENCE, SCOPE, Issuer, issuing
from tests.mcp_server.caller import Caller, message, post
from tests.offline import app_of
from tests.tools.everything import EVERYTHING

# Tools that are opened by name only are opened by name.
_ROLES: Final = {
    "signed-in": {},
    "roles": {
        "Owner": {"all": "destroy"} | {f"{one}/{tool}": "destroy" for one, tool, _ in EVERYTHING.exceptions},
        "Reader": {"all": "read"},
    },
}


@dataclass(frozen=True)
class Person:
    """Somebody who calls the same tool in each way that there is."""

    app: App
    headers: Mapping[str, str]

    async def direct(self, tool: Tool, arguments: Mapping[str, Any]) -> HttpAnswer:
        return await self._asked("tools/call", {"name": tool.qualified_name, "arguments": arguments}, tool.toolset)

    async def learned(self, tool: Tool, arguments: Mapping[str, Any], way: str = "") -> HttpAnswer:
        """Through `azure`, or `azure_change` where the tool changes something."""
        way = way or ("azure" if tool.access.label == "read" else "azure_change")
        call = {"tool": tool.toolset, "command": tool.name, "parameters": arguments}
        return await self._asked("tools/call", {"name": way, "arguments": call}, None)

    async def executed(self, tool: Tool, arguments: Mapping[str, Any]) -> HttpAnswer:
        return await rest.execute(self.app.endpoint, self.posting({"tool": tool.name, "arguments": arguments}))

    async def executed_as_mcp(self, tool: Tool, arguments: Mapping[str, Any]) -> HttpAnswer:
        return await rest.execute(self.app.endpoint, self.posting({"tool_name": tool.name, "arguments": arguments}))

    async def by_address(self, tool: Tool, arguments: Mapping[str, Any]) -> HttpAnswer:
        return await rest.call_tool(self.app.endpoint, self.posting(arguments), tool.name)

    def posting(self, document: Mapping[str, Any]) -> HttpRequest:
        return post(json.dumps(document).encode(), self.headers)

    async def _asked(self, method: str, params: Mapping[str, Any], toolsets: str | None) -> HttpAnswer:
        return await self.app.endpoint.handle(message(method, params, headers=self.headers), toolsets)


@dataclass(frozen=True)
class Place:
    app: App
    issuer: Issuer

    @property
    def tools(self) -> list[Tool]:
        return list(self.app.catalog.view(Selection(path=("all",)), EVERYTHING).tools.values())

    def person(self, *roles: str) -> Person:
        return Person(self.app, {"authorization": f"Bearer {self.issuer.token(roles=list(roles))}"})

    @property
    def stranger(self) -> Person:
        return Person(self.app, {})


@asynccontextmanager
async def place(folder: Path) -> AsyncIterator[Place]:
    roles = folder / "roles.yaml"
    roles.write_text(json.dumps(_ROLES), encoding="utf-8")
    async with issuing() as issuer:
        sign_in = {
            "AUTH_MODE": "oauth",
            "AUTH_ISSUER": issuer.url,
            "AUTH_AUDIENCE": AUDIENCE,
            "AUTH_SCOPE": SCOPE,
            "AUTH_ROLES_FILE": str(roles),
            "AUTH_BRIDGE_CLIENT_ID": AUDIENCE,
            "AUTH_BRIDGE_CLIENT_SECRET": "invented",
            "MCP_REQUEST_STATE_KEY": "k" * 32,
            "RATE_LIMIT_PER_ADDRESS": "0",
            "RATE_LIMIT_PER_CALLER": "0",
            "UPSTREAM_CLIENT_ID": AUDIENCE,
            "UPSTREAM_CLIENT_SECRET": "invented",
        }
        app = app_of(configured(folder) | sign_in)
        there = Place(app, issuer)
        await _settle(there)
        # What earlier tests left removes its files when it is collected, which must not happen while a tool is watched.
        gc.collect()
        yield there
        await app.close()


async def _settle(there: Place) -> None:
    """Have the issuer's keys fetched, and let end what goes on beside calls: extensions are looked at once a minute."""
    assert there.app.extensions
    there.app.extensions.clock = lambda: 1.0
    await Caller(there.app.endpoint, "all", there.person("Owner").headers).result("tools/list")
    await there.app.extensions.settled()
