"""Why a request is denied, in the terms in which HTTP tells it to the client."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Error = Literal["", "invalid_request", "invalid_token", "insufficient_scope", "insufficient_claims"]


@dataclass(eq=False)
class Denial(Exception):  # noqa: N818 - it says what happened, and is nobody's error
    """The description is told to the caller: it names neither secrets nor what a token holds.

    Without an error, nothing was presented at all. `scopes` are those that would do; `claims` is the challenge of the
    identity provider, as it came.
    """

    description: str
    error: Error = "invalid_token"
    scopes: tuple[str, ...] = ()
    claims: str = ""

    @property
    def status(self) -> int:
        return {"invalid_request": 400, "insufficient_scope": 403}.get(self.error, 401)

    def __str__(self) -> str:
        return self.description


class Unavailable(Exception):  # noqa: N818 - it says what happened, and is nobody's error
    """Whether the caller is to be let in cannot be told at present, but perhaps in `retry_after` seconds."""

    def __init__(self, message: str, retry_after: int) -> None:
        super().__init__(message)
        self.retry_after = retry_after
