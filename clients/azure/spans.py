"""Time spans of queries."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """A time span. The start and the end have Azure's format: `2026-01-31T08:00:00Z`."""

    since: str
    until: str

    @property
    def text(self) -> str:
        """The time span as an ISO 8601 interval."""
        return f"{self.since}/{self.until}"

    @property
    def seconds(self) -> float:
        return (datetime.fromisoformat(self.until) - datetime.fromisoformat(self.since)).total_seconds()

    def has(self, moment: Any) -> bool:
        """Whether a time is in the time span. Invalid times count as inside the time span."""
        try:
            found = datetime.fromisoformat(str(moment))
            return datetime.fromisoformat(self.since) <= found <= datetime.fromisoformat(self.until)
        except (ValueError, TypeError):
            return True
