"""What a request says about its client."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from mcp_server.protocol.names import HANDSHAKE_VERSIONS, LATEST_HANDSHAKE_VERSION


@dataclass(frozen=True, slots=True)
class RequestClient:
    """`capabilities` is what the client declares in this request; None if the version does not support that."""

    version: str = LATEST_HANDSHAKE_VERSION
    capabilities: Mapping[str, Any] | None = None
    # Whether it can be asked during its call, as older clients can.
    is_conversing: bool = False

    @property
    def is_modern(self) -> bool:
        return self.version not in HANDSHAKE_VERSIONS

    @property
    def can_be_asked(self) -> bool:
        """Whether it can be asked something before the result."""
        return (self.is_modern or self.is_conversing) and self.capabilities is not None

    def declared(self, capability: str) -> Mapping[str, Any] | None:
        """What it declares for a capability; None if it does not, or cannot be asked."""
        told = (self.capabilities or {}).get(capability) if self.can_be_asked else None
        return told if isinstance(told, Mapping) else None

    def has_extension(self, name: str) -> bool:
        return name in (self.declared("extensions") or {})

    @property
    def quiet(self) -> RequestClient:
        """The same client, as if it could neither be asked anything nor receive a task."""
        return replace(self, version=LATEST_HANDSHAKE_VERSION, is_conversing=False)

    def conversing(self, elicitation: Mapping[str, Any]) -> RequestClient:
        """The same client, which is asked during its call in this way."""
        return replace(self, capabilities={"elicitation": elicitation}, is_conversing=True)
