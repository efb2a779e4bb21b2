"""The exception for calls that must wait for a person or a service."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from refusal import Refusal


class WaitingError(Refusal):
    """Nothing was done yet. `change` is a document that tells programs what the call waits for.

    If `goes_on` is set, the caller only has to repeat the call later.
    """

    def __init__(self, words: str, change: Mapping[str, Any], *, goes_on: bool = True) -> None:
        super().__init__(words)
        self.change = change
        self.goes_on = goes_on
