"""Answers requests for the root and for unknown paths with a list of the available paths."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

from mcp_server.http.messages import HttpAnswer, HttpRequest
from mcp_server.http.pages import PLAIN_TEXT
from mcp_server.visit import Trace

# The available paths other than files, each with its method and a description. Descriptions use the words that people
# and programs search for.
_PLACES: Final = {
    "/mcp": ("POST", "MCP over Streamable HTTP; /mcp/x/<toolset> lists one toolset, and /mcp/x/all lists all tools"),
    "/tools": ("GET", "list the tools, without MCP"),
    "/tools/execute": ("POST", "call a tool; the body for /tools/<name> contains only the arguments"),
    "/openapi.json": ("GET", "the tools as an OpenAPI document, for client generators"),
    "/resources": ("GET", "list the resources; with ?uri=, GET reads, PUT writes and DELETE deletes a resource"),
    "/changes": ("GET", "for signed-in users: changes that wait for approval"),
    "/health": ("GET", "the status of the server and its services"),
}
# Other paths where clients expect MCP: paths of older transports, conventions of other servers, and `/mcp` with an
# extra slash.
_ELSEWHERE: Final = ("/", "/sse", "/messages", "/api/mcp", "/mcp/sse", "/api", "/v1/mcp", "/runtime/webhooks/mcp")


async def give_directions(notice: str, request: HttpRequest, _trace: Trace) -> HttpAnswer:
    """Answer a request that no other function handles.

    The status is 200 for the root path, 405 if the path exists but does not support the method, and 404 for all other
    paths.
    """
    status, sentence, headers = _directions(request)
    if status == 200 and is_for_people(request):
        return _home_page(notice)
    width = max(map(len, _places()))
    places = "\n".join(f"{method:<4} {path:<{width}}  {what}" for path, (method, what) in _places().items())
    text = "\n\n".join(part for part in (notice, sentence, f"{places}\n") if part)
    return HttpAnswer(status, text.encode(), {"content-type": PLAIN_TEXT, **headers})


def is_for_people(request: HttpRequest) -> bool:
    return "text/html" in request.headers.get("accept", "")


def _home_page(notice: str) -> HttpAnswer:
    """The home page for browsers, with a link to the changes that users can approve."""
    from browsing.rendering import Frame, shared_page

    return shared_page("home.html", frame=Frame(notice), places=_places(), person=None)


@cache
def _places() -> Mapping[str, tuple[str, str]]:
    """All available paths, including the files of updates."""
    from updates.showing.exports import LABELS

    return {**_PLACES, **{f"/updates.{form}": ("GET", f"Azure updates: {label}") for form, label in LABELS.items()}}


def _directions(request: HttpRequest) -> tuple[int, str, dict[str, str]]:
    path = request.path.rstrip("/") or "/"
    if path in _places():
        method, _ = _places()[path]
        return 405, f"{path} accepts only {method} requests.", {"allow": method}
    if path.startswith("/tools/"):
        return 405, f"{path[:100]} accepts only POST requests.", {"allow": "POST"}
    if path == "/" and request.method in {"GET", "HEAD"}:
        return 200, "This is Azure Team MCP, a Model Context Protocol (MCP) server.", {}
    if path in _ELSEWHERE:
        return 404, f"{path} does not exist. Connect MCP clients to /mcp, over Streamable HTTP.", {}
    return 404, "Page not found.", {}
