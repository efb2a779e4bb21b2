"""The reason why a request is denied. The HTTP response tells the client this reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Error = Literal["", "invalid_request", "invalid_token", "insufficient_scope", "insufficient_claims"]


@dataclass(eq=False)
class Denial(Exception):  # noqa: N818 - a control-flow outcome, not an error
    """The request is denied.

    - The description is shown to the caller, so it contains no secrets and no part of the token.
    - `error` is empty if the request had no credentials.
    - `scopes` are alternatives: one of these scopes is sufficient.
    - `claims` is the challenge from the identity provider, unchanged.
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
    """The server cannot currently decide whether to admit the request.

    A retry after `retry_after` seconds may succeed.
    """

    def __init__(self, message: str, retry_after: int) -> None:
        super().__init__(message)
        self.retry_after = retry_after
