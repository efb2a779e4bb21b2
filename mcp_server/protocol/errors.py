"""An error of the protocol: the answer to a request that has no result."""

from __future__ import annotations

from typing import Any

from mcp_server.protocol.results import WELL, CallEnding


class ProtocolError(Exception):
    """`ending` is how the call ended that the request became, if it became one."""

    def __init__(self, code: int, message: str, data: Any = None, ending: CallEnding = WELL) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data
        self.ending = ending
