"""The reason why a request is denied. HTTP responses report the reason to the client."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Error = Literal["", "invalid_request", "invalid_token", "insufficient_scope", "insufficient_claims"]


@dataclass(eq=False)
class Denial(Exception):  # noqa: N818 - a control-flow outcome, not an error
    """The request is denied.

    - The description is for the caller, so it contains no secrets and no part of the token.
    - Without `error`, the request had no credentials.
    - Any of the `scopes` would be sufficient.
    - `claims` is the unchanged challenge of the identity provider.
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
    """The server cannot decide about the request now. A retry after `retry_after` seconds may succeed."""

    def __init__(self, message: str, retry_after: int) -> None:
        super().__init__(message)
        self.retry_after = retry_after
