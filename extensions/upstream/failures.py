"""How another server may fail its caller, in words of ours. What it says itself is quoted, and bounded."""

from __future__ import annotations

from typing import Any, Final

from mcp_server.wording import speakable
from refusal import Refusal

_LONGEST_QUOTED: Final = 2_000


class ServerUnreachableError(Refusal):
    """It could not be reached, or broke off: whether it did anything, nobody knows."""


class ServerRejectedError(Refusal):
    """It turned the request away as HTTP does, without a word of the protocol."""

    def __init__(self, words: str, status: int) -> None:
        super().__init__(words)
        self.status = status


class SignInError(ServerRejectedError):
    """It wants a sign-in, or another one; `challenge` says how, as it came."""

    def __init__(self, words: str, status: int, challenge: str) -> None:
        super().__init__(words, status)
        self.challenge = challenge


class SessionEndedError(ServerRejectedError):
    """It does not know the session any more, and has done nothing."""


class AnsweredError(Refusal):
    """It answered with an error of the protocol."""

    def __init__(self, who: str, error: dict[str, Any]) -> None:
        self.code = error.get("code")
        self.data = error.get("data")
        super().__init__(f"{who} answered with an error ({str(self.code)[:20]}): {quoted(error.get('message'))}")


def quoted(words: object) -> str:
    """What others wrote, as far as it is repeated, so that nobody takes it for a sentence of this server."""
    text = speakable(words) if isinstance(words, str) else ""
    return repr(text if len(text) <= _LONGEST_QUOTED else f"{text[:_LONGEST_QUOTED]} …")
