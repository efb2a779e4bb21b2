"""Measures listing and calling tools on this server and on the plain SDK, in one process without a network."""

from __future__ import annotations

import logging
from contextlib import AsyncExitStack, nullcontext
from dataclasses import replace
from io import StringIO

from mcp.server import MCPServer

from mcp_server.catalog.catalog import Catalog
from mcp_server.catalog.catalogs import Catalogs
from mcp_server.http.endpoint import Endpoint
from mcp_server.http.gate import LOCAL_HOSTS, Gate
from mcp_server.http.messages import HttpRequest, run
from mcp_server.http.reception import Reception
from mcp_server.server import McpServer, ServerInfo
from scripts.benchmarks import many_tools
from scripts.benchmarks.measure import Subject, Timing, side_by_side
from tests.mcp_server.caller import ERAS, message

LISTS, CALLS = 60, 1500


def our_endpoint() -> Endpoint:
    catalog = Catalog([many_tools.toolset()], ())
    server = McpServer(ServerInfo("bench", "Bench", "1", "Bench."), nullcontext, [])
    return Endpoint(server, Catalogs(catalog), Reception(Gate.of(LOCAL_HOSTS, ())))


def plain_server() -> MCPServer:
    server = MCPServer("bench", version="1", instructions="Bench.", log_level="WARNING", subscriptions=False)
    for function in [*many_tools.FUNCTIONS, many_tools.ping]:
        server.add_tool(function)
    return server


async def measured() -> dict[str, dict[str, Timing]]:
    """Return the timings of each operation, by server."""
    async with AsyncExitStack() as stack:
        # The plain SDK's server prints colored logs, which takes longer than a call.
        logger = logging.getLogger("audit")
        logger.addHandler(logging.StreamHandler(StringIO()))
        logger.propagate = False
        logger.setLevel(logging.INFO)
        app = plain_server().streamable_http_app(json_response=True, stateless_http=True)
        await stack.enter_async_context(app.router.lifespan_context(app))
        ours = our_endpoint()

        def rivals(request: HttpRequest) -> dict[str, Subject]:
            # Each call gets a new request, because a request caches its parsed content.
            return {"ours": lambda: _ok(ours, replace(request)), "plain SDK": lambda: run(app, replace(request), {})}

        results = {}
        for era in ERAS:
            listing, call = message("tools/list", era=era), message("tools/call", {"name": "ping"}, era)
            results[f"`tools/list` of {many_tools.COUNT + 1} tools, {era}"] = await side_by_side(rivals(listing), LISTS)
            results[f"`tools/call` for a trivial tool, {era}"] = await side_by_side(rivals(call), CALLS)
        return results


async def _ok(endpoint: Endpoint, request: HttpRequest) -> object:
    answer = await endpoint.handle(request, "all")
    if answer.status != 200:
        raise RuntimeError(answer.body.decode())
    return answer
