"""Compares the time to list all tools over plain HTTP with the time over MCP."""

from __future__ import annotations

from dataclasses import replace

from mcp_server.http.openapi.document import About
from mcp_server.http.openapi.page import openapi
from mcp_server.http.rest import list_tools
from scripts.benchmarks.measure import Subject, Timing, side_by_side
from tests.mcp_server.caller import message, post
from tests.openapi.world import everything
from tools import TOOLSETS

ROUNDS = 200
_ABOUT = About("http://localhost:7071", "none", "Bench", "1")


async def measured() -> tuple[int, dict[str, Timing]]:
    """Return the number of tools, and the timings of each way to list them."""
    endpoint, listing, request = everything(), message("tools/list"), replace(post(b""), method="GET")
    lists: dict[str, Subject] = {
        "`tools/list` over MCP": lambda: endpoint.handle(listing, "all"),
        "`GET /tools`": lambda: list_tools(endpoint, request),
        "`GET /openapi.json`": lambda: openapi(endpoint, request, _ABOUT),
    }
    return sum(len(one.tools) for one in TOOLSETS), await side_by_side(lists, ROUNDS)
