"""What another server is asked, in the forms that the two eras of the protocol have for it."""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from mcp.shared.inbound import (
    MCP_METHOD_HEADER,
    MCP_NAME_HEADER,
    MCP_PROTOCOL_VERSION_HEADER,
    NAME_BEARING_METHODS,
    encode_header_value,
)
from mcp_types import CLIENT_CAPABILITIES_META_KEY, CLIENT_INFO_META_KEY, PROTOCOL_VERSION_META_KEY
from mcp_types.version import LATEST_MODERN_VERSION

# What this server says of itself where it is the client.
ABOUT: Final = {"name": "azure-team-mcp", "version": "1"}
_META: Final = "_meta"

Json = dict[str, Any]
OnProgress = Callable[[Mapping[str, Any]], Awaitable[None]]
OnQuestion = Callable[[Json], Awaitable[Json]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerRequest:
    """One request. `capabilities` are those of who asks, as far as questions of the server are carried to them."""

    method: str
    params: Mapping[str, Any]
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    on_progress: OnProgress | None = None
    # Answers what the server asks meanwhile: a result or an error of the protocol.
    on_question: OnQuestion | None = None
    capabilities: Mapping[str, Any] = field(default_factory=dict)
    id: str = field(default_factory=lambda: secrets.token_hex(8))

    def message(self, meta: Mapping[str, Any] | None = None) -> Json:
        """The request, with what stands in its `_meta` beside what the caller of this put there."""
        known = {**self.params.get(_META, {}), **(meta or {})}
        if self.on_progress:
            known["progressToken"] = self.id
        params = {**self.params, **({_META: known} if known else {})}
        return {"jsonrpc": "2.0", "id": self.id, "method": self.method, "params": params}

    def message_of_now(self) -> Json:
        """The request as the protocol without sessions has it: each says what it is, and from whom."""
        return self.message(
            {
                PROTOCOL_VERSION_META_KEY: LATEST_MODERN_VERSION,
                CLIENT_INFO_META_KEY: ABOUT,
                CLIENT_CAPABILITIES_META_KEY: dict(self.capabilities),
            }
        )

    def headers_of_now(self) -> dict[str, str]:
        routing = {MCP_PROTOCOL_VERSION_HEADER: LATEST_MODERN_VERSION, MCP_METHOD_HEADER: self.method}
        if bearing := NAME_BEARING_METHODS.get(self.method):
            routing[MCP_NAME_HEADER] = encode_header_value(str(self.params.get(bearing, "")))
        return {**routing, **self.headers}
