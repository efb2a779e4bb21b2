"""Every tool there is, as documents."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from typing import Any

from identity.door import open_door
from mcp_server.http.endpoint import Endpoint
from mcp_server.http.openapi.document import About
from mcp_server.http.openapi.page import openapi
from tests.mcp_server.caller import post
from tests.mcp_server.endpoints import new_endpoint
from tests.tools.everything import EVERYTHING
from tools import TOOLSETS

ABOUT = About("http://localhost:7071", "none", "Azure Team MCP", "1.0")


@cache
def everything() -> Endpoint:
    return new_endpoint(toolsets=TOOLSETS, door=open_door(EVERYTHING))


async def document(endpoint: Endpoint, version: str = "3.1", about: About = ABOUT) -> dict[str, Any]:
    request = replace(post(b""), method="GET", query=f"version={version}")
    answer = await openapi(endpoint, request, about)
    assert answer.status == 200, answer.body
    found: dict[str, Any] = json.loads(answer.body)
    return found
