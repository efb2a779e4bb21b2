"""What a request says about the client that sent it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from mcp_server.protocol.names import HANDSHAKE_VERSIONS, LATEST_HANDSHAKE_VERSION


@dataclass(frozen=True, slots=True)
class RequestClient:
    """The client of a request.

    `capabilities` contains the capabilities that the request declares. None if requests in the client's protocol
    version do not declare capabilities.
    """

    version: str = LATEST_HANDSHAKE_VERSION
    capabilities: Mapping[str, Any] | None = None
    # Whether the server can ask the client during its call, which is possible in older protocol versions.
    is_conversing: bool = False

    @property
    def is_modern(self) -> bool:
        return self.version not in HANDSHAKE_VERSIONS

    @property
    def can_be_asked(self) -> bool:
        """Whether the server can ask the client a question before it returns the result."""
        return (self.is_modern or self.is_conversing) and self.capabilities is not None

    def declared(self, capability: str) -> Mapping[str, Any] | None:
        """What the client declares about a capability.

        None if the client has not declared the capability or cannot be asked.
        """
        told = (self.capabilities or {}).get(capability) if self.can_be_asked else None
        return told if isinstance(told, Mapping) else None

    def has_extension(self, name: str) -> bool:
        return name in (self.declared("extensions") or {})

    @property
    def quiet(self) -> RequestClient:
        """A copy of this client that cannot be asked a question and cannot receive a task."""
        return replace(self, version=LATEST_HANDSHAKE_VERSION, is_conversing=False)

    def conversing(self, elicitation: Mapping[str, Any]) -> RequestClient:
        """A copy of this client that the server can ask during a call, in the ways that `elicitation` declares."""
        return replace(self, capabilities={"elicitation": elicitation}, is_conversing=True)
