"""The error that the server returns instead of a result."""

from __future__ import annotations

from typing import Any

from mcp_server.protocol.results import WELL, CallEnding


class ProtocolError(Exception):
    """An error of the protocol. `ending` says how the call ended, if the request was a call."""

    def __init__(self, code: int, message: str, data: Any = None, ending: CallEnding = WELL) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data
        self.ending = ending
