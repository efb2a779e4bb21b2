"""Failures of other servers in our own words. Their messages are quoted and limited in length."""

from __future__ import annotations

from typing import Any, Final

from mcp_server.wording import speakable
from refusal import Refusal

_LONGEST_QUOTED: Final = 2_000


class ServerUnreachableError(Refusal):
    """It could not be reached or broke off. Whether it did anything is unknown."""


class ServerRejectedError(Refusal):
    """It rejected the request with an HTTP status, without a protocol message."""

    def __init__(self, words: str, status: int) -> None:
        super().__init__(words)
        self.status = status


class SignInError(ServerRejectedError):
    """It requires a sign-in or a different one; `challenge` is its header."""

    def __init__(self, words: str, status: int, challenge: str) -> None:
        super().__init__(words, status)
        self.challenge = challenge


class SessionEndedError(ServerRejectedError):
    """It no longer knows the session, and did nothing."""


class AnsweredError(Refusal):
    """It answered with a protocol error."""

    def __init__(self, who: str, error: dict[str, Any]) -> None:
        self.code = error.get("code")
        self.data = error.get("data")
        super().__init__(f"{who} answered with an error ({str(self.code)[:20]}): {quoted(error.get('message'))}")


def quoted(words: object) -> str:
    """Text from others, marked so that nobody mistakes it for this server's own."""
    text = speakable(words) if isinstance(words, str) else ""
    return repr(text if len(text) <= _LONGEST_QUOTED else f"{text[:_LONGEST_QUOTED]} …")
