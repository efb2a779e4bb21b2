"""How a call ends that waits for somebody, or for a service."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from refusal import Refusal


class WaitingError(Refusal):
    """Nothing was done yet; `change` says for programs what is waited for.

    `goes_on` is whether it does so without the caller, who needs only send the same call again.
    """

    def __init__(self, words: str, change: Mapping[str, Any], *, goes_on: bool = True) -> None:
        super().__init__(words)
        self.change = change
        self.goes_on = goes_on
