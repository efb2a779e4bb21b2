"""Why a request is denied, in the terms in which HTTP tells it to the client."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Error = Literal["", "invalid_request", "invalid_token", "insufficient_scope", "insufficient_claims"]


@dataclass(frozen=True)
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
