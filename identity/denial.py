"""Why a request is denied, as HTTP reports it to the client."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Error = Literal["", "invalid_request", "invalid_token", "insufficient_scope", "insufficient_claims"]


@dataclass(eq=False)
class Denial(Exception):  # noqa: N818 - a control-flow outcome, not an error
    """The description is for the caller: it contains no secrets or token contents. Without an error, the request had no
    credentials. `scopes` are the sufficient ones; `claims` is the identity provider's unchanged challenge.
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


class Unavailable(Exception):  # noqa: N818 - a control-flow outcome, not an error
    """The decision is not possible at present, but may be in `retry_after` seconds."""

    def __init__(self, message: str, retry_after: int) -> None:
        super().__init__(message)
        self.retry_after = retry_after
