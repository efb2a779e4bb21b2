"""How a message of the protocol is answered: an adapter reads it, has the server answer, and writes what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from mcp_server.http.messages import HttpAnswer, HttpRequest
from mcp_server.protocol.results import WELL, CallEnding
from mcp_server.visit import Visit


@dataclass(frozen=True, slots=True)
class Answered:
    """The answer, and how the call ended that the message was, if it was one."""

    http: HttpAnswer
    ending: CallEnding = WELL


class Adapter(Protocol):
    async def answer(self, request: HttpRequest, visit: Visit) -> Answered | None:
        """Answer a message; nothing if it is in a form that this adapter does not read."""
