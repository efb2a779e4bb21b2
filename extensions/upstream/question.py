"""Requests to an extension's server, in the formats of both protocol eras."""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from mcp_server.protocol.header_values import encoded
from mcp_server.protocol.names import (
    CAPABILITIES_KEY,
    CLIENT_INFO_KEY,
    LATEST_MODERN_VERSION,
    METHOD_HEADER,
    NAME_HEADER,
    NAMED_BY,
    VERSION_HEADER,
    VERSION_KEY,
)

# The client information that this server sends to extensions.
ABOUT: Final = {"name": "azure-team-mcp", "version": "1"}
_META: Final = "_meta"

Json = dict[str, Any]
OnProgress = Callable[[Mapping[str, Any]], Awaitable[None]]
OnQuestion = Callable[[Json], Awaitable[Json]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerRequest:
    """A request to an extension.

    `capabilities` are the capabilities of the caller's client, except those for questions that this server cannot pass
    on.
    """

    method: str
    params: Mapping[str, Any]
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    on_progress: OnProgress | None = None
    # Answers a question from the server with a result or a protocol error.
    on_question: OnQuestion | None = None
    capabilities: Mapping[str, Any] = field(default_factory=dict)
    id: str = field(default_factory=lambda: secrets.token_hex(8))

    def message(self, meta: Mapping[str, Any] | None = None) -> Json:
        """Return the request as a JSON-RPC message, with `meta` added to the request's own `_meta`."""
        known = {**self.params.get(_META, {}), **(meta or {})}
        if self.on_progress:
            known["progressToken"] = self.id
        params = {**self.params, **({_META: known} if known else {})}
        return {"jsonrpc": "2.0", "id": self.id, "method": self.method, "params": params}

    def message_of_now(self) -> Json:
        """Return the request in the format of the protocol era without sessions.

        In this era, each message identifies the client.
        """
        return self.message(
            {
                VERSION_KEY: LATEST_MODERN_VERSION,
                CLIENT_INFO_KEY: ABOUT,
                CAPABILITIES_KEY: dict(self.capabilities),
            }
        )

    def headers_of_now(self) -> dict[str, str]:
        routing = {VERSION_HEADER: LATEST_MODERN_VERSION, METHOD_HEADER: self.method}
        if bearing := NAMED_BY.get(self.method):
            routing[NAME_HEADER] = encoded(str(self.params.get(bearing, "")))
        return {**routing, **self.headers}
