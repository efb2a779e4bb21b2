"""The page that shows how to connect a client to this server, and the tools that the visitor may call."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

from exploring.guests import Guest
from mcp_server.declarations.tool import Tool
from mcp_server.http.messages import HttpAnswer, HttpRequest
from text.shortening import shortened

PATH: Final = "/connect"
NAME: Final = "azure-team"
_LONGEST: Final = 130


@dataclass(frozen=True, slots=True)
class ClientSetup:
    """Setup instructions for a client: a command to run, or a configuration file and its path."""

    name: str
    text: str
    where: str = ""
    link: str = ""


@dataclass(frozen=True, slots=True)
class ShownTool:
    name: str
    access: str
    purpose: str


@dataclass(frozen=True, slots=True)
class ShownToolset:
    name: str
    description: str
    tools: Sequence[ShownTool]


async def connect(guest: Guest, request: HttpRequest) -> HttpAnswer:
    address = f"{request.origin}/mcp"
    toolsets = [
        ShownToolset(toolset.name, toolset.description, [_shown(tool) for tool in toolset.tools])
        for toolset in guest.view.toolsets
        if toolset.tools
    ]
    return guest.page(
        "connect.html",
        here=PATH,
        address=address,
        clients=clients_of(address),
        toolsets=toolsets,
        total=sum(len(toolset.tools) for toolset in toolsets),
        absent=guest.view.absent,
    )


def clients_of(address: str) -> Sequence[ClientSetup]:
    server = {"type": "http", "url": address}
    named = json.dumps({"name": NAME, **server}, separators=(",", ":"))
    return (
        ClientSetup("Claude Code", f"claude mcp add --transport http {NAME} {address}", "terminal"),
        ClientSetup("VS Code", f"code --add-mcp '{named}'", "terminal", f"vscode:mcp/install?{quote(named)}"),
        ClientSetup("Cursor", _written({"mcpServers": {NAME: {"url": address}}}), ".cursor/mcp.json"),
        ClientSetup("Other clients", _written({"mcpServers": {NAME: server}}), "Streamable HTTP"),
    )


def _written(document: object) -> str:
    return json.dumps(document, indent=2)


def _shown(tool: Tool) -> ShownTool:
    first, _, _ = tool.description.partition("\n")
    return ShownTool(tool.name, tool.access.label, shortened(first, _LONGEST))
