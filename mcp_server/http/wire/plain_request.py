"""Recognizes requests and notifications that can be answered without the SDK."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from mcp_server.http.messages import JSON, HttpRequest
from mcp_server.http.wire.forms import HANDSHAKE_PARAMS, MODERN_PARAMS, is_handshake_meta, is_modern_meta
from mcp_server.protocol.client import RequestClient
from mcp_server.protocol.header_values import decoded
from mcp_server.protocol.names import (
    CAPABILITIES_KEY,
    DEFAULT_VERSION,
    HANDSHAKE_VERSIONS,
    METHOD_HEADER,
    MODERN_VERSIONS,
    NAME_HEADER,
    NAMED_BY,
    NOTIFICATIONS,
    VERSION_HEADER,
    VERSION_KEY,
)
from mcp_server.protocol.results import Json

_META: Final = "_meta"
_REQUEST: Final = ({"jsonrpc", "id", "method"}, {"jsonrpc", "id", "method", "params"})
_NOTIFICATION: Final = ({"jsonrpc", "method"}, {"jsonrpc", "method", "params"})


@dataclass(frozen=True, slots=True)
class PlainRequest:
    """A request that can be answered without the SDK. `id` is None for a notification, which gets no result."""

    id: int | str | None
    method: str
    params: Json
    client: RequestClient

    @property
    def is_bare(self) -> bool:
        """Whether the request has no parameters.

        The response to a request without parameters depends only on the method, the version and the view.
        """
        return not self.params.keys() - {_META}


def plain_request(request: HttpRequest) -> PlainRequest | None:
    """Parse a request. None if only the SDK can answer the request."""
    if not _takes_and_gives_json(request.headers) or (message := request.message) is None:
        return None
    version = request.headers.get(VERSION_HEADER, DEFAULT_VERSION)
    if message.get("jsonrpc") != "2.0" or not isinstance(message.get("method"), str):
        return None
    if version in MODERN_VERSIONS:
        return _modern(request, message, version)
    return _of_handshake(message, version) if version in HANDSHAKE_VERSIONS else None


def _modern(request: HttpRequest, message: Json, version: str) -> PlainRequest | None:
    if _is_notification(message):
        return PlainRequest(None, message["method"], {}, RequestClient(version))
    method, params = message["method"], message.get("params")
    form = MODERN_PARAMS.get(method)
    if form is None or not _is_request(message) or not isinstance(params, dict):
        return None
    meta: Json = params.get(_META, {})
    if not is_modern_meta(meta) or meta[VERSION_KEY] != version:
        return None
    if not form(_own(params)) or not _is_routed(request.headers, method, params):
        return None
    return PlainRequest(message["id"], method, params, RequestClient(version, meta[CAPABILITIES_KEY]))


def _of_handshake(message: Json, version: str) -> PlainRequest | None:
    client = RequestClient(version)
    if _is_notification(message):
        return PlainRequest(None, message["method"], {}, client)
    params = message.get("params", {})
    form = HANDSHAKE_PARAMS.get(message["method"])
    if form is None or not _is_request(message) or not isinstance(params, dict):
        return None
    if not is_handshake_meta(params.get(_META, {})) or not form(_own(params)):
        return None
    return PlainRequest(message["id"], message["method"], params, client)


def _own(params: Json) -> Json:
    return {name: value for name, value in params.items() if name != _META}


def _is_request(message: Json) -> bool:
    name = message.get("id")
    return message.keys() in _REQUEST and (type(name) is int or isinstance(name, str))


def _is_notification(message: Json) -> bool:
    is_known = message.keys() in _NOTIFICATION and message["method"] in NOTIFICATIONS
    return is_known and isinstance(message.get("params", {}), dict)


def _is_routed(headers: Mapping[str, str], method: str, params: Json) -> bool:
    """Whether the headers correctly repeat the method and the name from the body."""
    if headers.get(METHOD_HEADER) != method:
        return False
    named = NAMED_BY.get(method)
    return named is None or decoded(headers.get(NAME_HEADER, "")) == params[named]


def _takes_and_gives_json(headers: Mapping[str, str]) -> bool:
    taken = {entry.partition(";")[0].strip() for entry in headers.get("accept", "").split(",")}
    return headers.get("content-type", "").partition(";")[0] == JSON and JSON in taken
