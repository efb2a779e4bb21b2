"""How a protocol message is answered: an adapter parses it, calls the server, and writes the answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from mcp_server.http.messages import HttpAnswer, HttpRequest
from mcp_server.protocol.results import WELL, CallEnding
from mcp_server.visit import Visit


@dataclass(frozen=True, slots=True)
class Answered:
    """The answer, and how the call ended if the message was one."""

    http: HttpAnswer
    ending: CallEnding = WELL


class Adapter(Protocol):
    async def answer(self, request: HttpRequest, visit: Visit) -> Answered | None:
        """Answer a message; None if this adapter does not support its form."""
