"""How sure it is that a retirement touches a resource."""

from __future__ import annotations

from enum import StrEnum


class Confidence(StrEnum):
    CERTAIN = "certain"
    LIKELY = "likely"
    POSSIBLE = "possible"

    @property
    def rank(self) -> int:
        """The surest first."""
        return list(Confidence).index(self)
