"""List answers kept as ready bytes, since what a view lists never changes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from mcp.shared.inbound import MCP_PROTOCOL_VERSION_HEADER, InboundModernRoute, classify_inbound_request
from mcp_types import DEFAULT_NEGOTIATED_VERSION
from mcp_types.methods import validate_client_request
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from mcp_server.http.messages import JSON, HttpAnswer, HttpRequest
from mcp_server.view import View
from mcp_server.wording import speakable

_LISTS: Final = frozenset(
    {"server/discover", "tools/list", "prompts/list", "resources/list", "resources/templates/list"}
)
# What other servers have of these is asked for anew.
_COMING_AND_GOING: Final = frozenset({"prompts/list", "resources/list", "resources/templates/list"})
# A larger one is read once less by leaving it to the SDK, and no list needs more.
_LARGEST_ENVELOPE: Final = 8 * 1024
_PLAIN: Final = ({"jsonrpc", "id", "method"}, {"jsonrpc", "id", "method", "params"})


@dataclass(frozen=True, slots=True)
class ListRequest:
    """A valid request for a list, in a form so plain that its answer depends on nothing but these and the view."""

    id: int | str
    method: str
    version: str

    @property
    def _opening(self) -> bytes:
        return f'{{"jsonrpc":"2.0","id":{json.dumps(self.id)},"result":'.encode()

    def ready_answer(self, view: View) -> HttpAnswer | None:
        rest = view.answers.get((self.method, self.version))
        return None if rest is None else HttpAnswer(200, self._opening + rest, {"content-type": JSON})

    def keep(self, view: View, answer: HttpAnswer) -> None:
        """Keep all of the answer but the id, if it is the good answer that it should be.

        The id is the one thing in it that differs between requests, and it stands before everything else. Bytes are
        kept and not the document, because to write a hundred schemas anew is most of what a list costs.
        """
        if (self.method == "resources/list" and view.shelves) or (
            self.method in _COMING_AND_GOING and view.remote_content
        ):
            return
        if answer.status == 200 and answer.body.startswith(self._opening):
            view.answers[self.method, self.version] = answer.body.removeprefix(self._opening)


def list_request(request: HttpRequest) -> ListRequest | None:
    """Recognise a list request, its envelope checked. None leaves the request to the SDK, which knows every form."""
    message = _plain_message(request)
    if message is None:
        return None
    # The answer is looked up before the SDK sees the request, so whatever the SDK would refuse must be refused here by
    # the SDK's own rules: a ready answer to a bad envelope would make what is valid depend on who asked before.
    version, params = _version(request, message), message.get("params")
    try:
        # Everything a list may depend on is in the method and the version; what else stands there must only be valid.
        validate_client_request(message["method"], version, params)
    except (KeyError, ValueError):
        return None
    return ListRequest(message["id"], message["method"], version)


def _plain_message(request: HttpRequest) -> dict[str, Any] | None:
    if len(request.body) > _LARGEST_ENVELOPE or not _takes_and_gives_json(request.headers):
        return None
    try:
        text = request.body.decode()
        message = None if "progressToken" in text else json.loads(text)
    except (ValueError, RecursionError):
        return None
    return message if isinstance(message, dict) and _is_plain(message) else None


def _is_plain(message: dict[str, Any]) -> bool:
    params = message.get("params") or {}
    return (
        message.keys() in _PLAIN
        and message["jsonrpc"] == "2.0"
        and isinstance(message["method"], str)
        and message["method"] in _LISTS
        and (type(message["id"]) is int or _is_text(message["id"]))
        and isinstance(params, dict)
        and params.keys() <= {"_meta"}
    )


def _version(request: HttpRequest, message: dict[str, Any]) -> str:
    """The protocol version in which the SDK would answer, or one that does not exist.

    It is a part of the key: the same list has other fields in each version.
    """
    version = request.headers.get(MCP_PROTOCOL_VERSION_HEADER)
    if version is None:
        return DEFAULT_NEGOTIATED_VERSION
    if version in HANDSHAKE_PROTOCOL_VERSIONS:
        return version
    route = classify_inbound_request(message, headers=request.headers)
    return route.protocol_version if isinstance(route, InboundModernRoute) else ""


def _takes_and_gives_json(headers: Mapping[str, str]) -> bool:
    taken = {entry.partition(";")[0].strip() for entry in headers.get("accept", "").split(",")}
    return headers.get("content-type", "").partition(";")[0] == JSON and JSON in taken


def _is_text(value: object) -> bool:
    return isinstance(value, str) and value == speakable(value)
