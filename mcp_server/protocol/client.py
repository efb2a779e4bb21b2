"""The properties of a client, as stated in its request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from mcp_server.protocol.names import HANDSHAKE_VERSIONS, LATEST_HANDSHAKE_VERSION


@dataclass(frozen=True, slots=True)
class RequestClient:
    """The client of a request.

    `capabilities` are the capabilities that the request declares; None if its protocol version does not declare any.
    """

    version: str = LATEST_HANDSHAKE_VERSION
    capabilities: Mapping[str, Any] | None = None
    # Whether the client can be asked during its call, which older versions allow.
    is_conversing: bool = False

    @property
    def is_modern(self) -> bool:
        return self.version not in HANDSHAKE_VERSIONS

    @property
    def can_be_asked(self) -> bool:
        """Whether the client can be asked a question before it gets the result."""
        return (self.is_modern or self.is_conversing) and self.capabilities is not None

    def declared(self, capability: str) -> Mapping[str, Any] | None:
        """The client's declaration of a capability.

        None if the client has not declared the capability or cannot be asked.
        """
        told = (self.capabilities or {}).get(capability) if self.can_be_asked else None
        return told if isinstance(told, Mapping) else None

    def has_extension(self, name: str) -> bool:
        return name in (self.declared("extensions") or {})

    @property
    def quiet(self) -> RequestClient:
        """A copy of the client that cannot be asked a question or receive a task."""
        return replace(self, version=LATEST_HANDSHAKE_VERSION, is_conversing=False)

    def conversing(self, elicitation: Mapping[str, Any]) -> RequestClient:
        """A copy of the client that supports questions during its call, in the forms that `elicitation` lists."""
        return replace(self, capabilities={"elicitation": elicitation}, is_conversing=True)
