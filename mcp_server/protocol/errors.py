"""A protocol error: the answer to a request without a result."""

from __future__ import annotations

from typing import Any

from mcp_server.protocol.results import WELL, CallEnding


class ProtocolError(Exception):
    """`ending` is how the resulting call ended, if there was one."""

    def __init__(self, code: int, message: str, data: Any = None, ending: CallEnding = WELL) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data
        self.ending = ending
