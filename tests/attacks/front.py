"""All interfaces of an app by their addresses, without a host between them and an attack."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from app.build import App
from app.pages import AppPages
from mcp_server.http import rest, rest_resources
from mcp_server.http.messages import HttpAnswer, HttpRequest, request_at

ADDRESS: Final = "198.51.100.7"


@dataclass
class Front:
    app: App

    async def send(
        self,
        method: str,
        url: str,
        body: bytes = b"",
        headers: Mapping[str, str | None] | None = None,
        address: str = ADDRESS,
    ) -> HttpAnswer:
        """A header that is None is left out."""
        own: dict[str, str | None] = {"host": "localhost:7071", "accept": "application/json, text/event-stream"}
        own |= {"content-type": "application/json", "content-length": str(len(body))}
        sent = {name: value for name, value in (own | dict(headers or {})).items() if value is not None}
        request = request_at(f"http://{sent.get('host', '')}{url}", method, sent, body)
        return await self.answer(replace(request, address=address))

    async def answer(self, request: HttpRequest) -> HttpAnswer:
        """What the function of the route answers."""
        for pattern, answering in ROUTES.items():
            if found := re.fullmatch(pattern, request.path, re.DOTALL):
                return await answering(self.app, request, *found.groups())
        return await AppPages(self.app).directions(request)


Answering = Callable[..., Awaitable[HttpAnswer]]
ROUTES: Final[Mapping[str, Answering]] = {
    "/mcp": lambda app, request: app.endpoint.handle(request),
    "/mcp/x/([^/]+)": lambda app, request, toolsets: app.endpoint.handle(request, toolsets),
    "/mcp/initialize": lambda app, request: rest.initialize(app.endpoint, request),
    "(?:/mcp)?/tools": lambda app, request: rest.list_tools(app.endpoint, request),
    "(?:/mcp)?/tools/execute": lambda app, request: rest.execute(app.endpoint, request),
    "/tools/([^/]+)": lambda app, request, name: rest.call_tool(app.endpoint, request, name),
    "/resources(?:/.*)?": lambda app, request: rest_resources.answer_resources(app.endpoint, request),
    "/openapi.json": lambda app, request: AppPages(app).openapi(request),
    "/health": lambda app, request: AppPages(app).health(request),
    "/changes": lambda app, request: AppPages(app).changes(request),
    "/changes/([^/]+)": lambda app, request, name: AppPages(app).change(request, name),
    "/updates.(csv|ics|rss)": lambda app, request, form: AppPages(app).updates(request, form),
    "/.well-known/oauth-protected-resource(/.*)": lambda app, request, path: AppPages(app).resource_metadata(
        request, path
    ),
    "/(?:register|authorize|callback|token)": lambda app, request: AppPages(app).sign_in(request),
}
