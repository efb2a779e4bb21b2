"""Caches the responses to list requests as bytes. The lists of a view never change."""

from __future__ import annotations

from typing import Final

from mcp_server.http.messages import JSON, HttpAnswer
from mcp_server.http.wire.plain_request import PlainRequest
from mcp_server.http.wire.writing import opening
from mcp_server.view import View

_LISTS: Final = frozenset(
    {"server/discover", "tools/list", "prompts/list", "resources/list", "resources/templates/list"}
)
# Lists that may contain entries from other servers. Entries from other servers can change, so lists that contain such
# entries are not cached.
_COMING_AND_GOING: Final = frozenset({"prompts/list", "resources/list", "resources/templates/list"})


def ready_answer(request: PlainRequest, view: View) -> HttpAnswer | None:
    if request.method not in _LISTS or not request.is_bare:
        return None
    rest = view.answers.get((request.method, request.client.is_modern))
    return None if rest is None else HttpAnswer(200, opening(request) + rest, {"content-type": JSON})


def keep(request: PlainRequest, view: View, answer: HttpAnswer) -> None:
    """Cache the part of a successful response that follows the ID.

    The cache contains bytes, because most of the time for a list is spent on serializing the schemas of a hundred
    tools.
    """
    if request.method in _LISTS and request.is_bare and _is_lasting(request.method, view):
        view.answers[request.method, request.client.is_modern] = answer.body.removeprefix(opening(request))


def _is_lasting(method: str, view: View) -> bool:
    comes_and_goes = method in _COMING_AND_GOING and view.remote_content
    return not comes_and_goes and not (method == "resources/list" and view.shelves)
