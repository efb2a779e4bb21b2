"""The confidence that a retirement affects a resource."""

from __future__ import annotations

from enum import StrEnum


class Confidence(StrEnum):
    CERTAIN = "certain"
    LIKELY = "likely"
    POSSIBLE = "possible"

    @property
    def rank(self) -> int:
        """The sort key, highest confidence first."""
        return list(Confidence).index(self)
