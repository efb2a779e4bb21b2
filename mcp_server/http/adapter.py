"""The interface of adapters, which parse a protocol message, call the server, and write the response."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from mcp_server.http.messages import HttpAnswer, HttpRequest
from mcp_server.protocol.results import WELL, CallEnding
from mcp_server.visit import Visit


@dataclass(frozen=True, slots=True)
class Answered:
    """The HTTP response to a message, and how the call ended, if the message was a call."""

    http: HttpAnswer
    ending: CallEnding = WELL


class Adapter(Protocol):
    async def answer(self, request: HttpRequest, visit: Visit) -> Answered | None:
        """Answer a message. Returns None if this adapter does not support the form of the message."""
