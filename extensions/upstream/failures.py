"""Errors of an extension's server. Error messages from the server are quoted and truncated."""

from __future__ import annotations

from typing import Any, Final

from mcp_server.wording import speakable
from refusal import Refusal

_LONGEST_QUOTED: Final = 2_000


class ServerUnreachableError(Refusal):
    """The server could not be reached, or the connection broke. The server may have processed the request."""


class ServerRejectedError(Refusal):
    """The server rejected the request with an HTTP status, without a protocol message."""

    def __init__(self, words: str, status: int) -> None:
        super().__init__(words)
        self.status = status


class SignInError(ServerRejectedError):
    """The server requires a sign-in, or a different sign-in. `challenge` is the WWW-Authenticate header of the server's
    response.
    """

    def __init__(self, words: str, status: int, challenge: str) -> None:
        super().__init__(words, status)
        self.challenge = challenge


class SessionEndedError(ServerRejectedError):
    """The session has expired on the server, which did not process the request."""


class AnsweredError(Refusal):
    """The server answered with a protocol error."""

    def __init__(self, who: str, error: dict[str, Any]) -> None:
        self.code = error.get("code")
        self.data = error.get("data")
        super().__init__(f"{who} answered with an error ({str(self.code)[:20]}): {quoted(error.get('message'))}")


def quoted(words: object) -> str:
    """Quote a text from an extension, so that nobody mistakes it for a text of this server."""
    text = speakable(words) if isinstance(words, str) else ""
    return repr(text if len(text) <= _LONGEST_QUOTED else f"{text[:_LONGEST_QUOTED]} …")
