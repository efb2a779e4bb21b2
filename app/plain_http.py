"""Serves the tools and resources over plain HTTP.

The modules that answer requests are imported when the first request arrives.
"""

from __future__ import annotations

from dataclasses import dataclass

from mcp_server.http.endpoint import Endpoint
from mcp_server.http.messages import HttpAnswer, HttpRequest


@dataclass(frozen=True, slots=True)
class PlainHttp:
    endpoint: Endpoint

    async def begin_session(self, request: HttpRequest) -> HttpAnswer:
        from mcp_server.http import rest

        return await rest.initialize(self.endpoint, request)

    async def list_tools(self, request: HttpRequest) -> HttpAnswer:
        from mcp_server.http import rest

        return await rest.list_tools(self.endpoint, request)

    async def execute(self, request: HttpRequest) -> HttpAnswer:
        from mcp_server.http import rest

        return await rest.execute(self.endpoint, request)

    async def call_tool(self, request: HttpRequest, name: str) -> HttpAnswer:
        from mcp_server.http import rest

        return await rest.call_tool(self.endpoint, request, name)

    async def resources(self, request: HttpRequest) -> HttpAnswer:
        from mcp_server.http import rest_resources

        return await rest_resources.answer_resources(self.endpoint, request)
