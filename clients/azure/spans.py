"""From when to when something is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """From one moment to another, each as Azure writes it: `2026-01-31T08:00:00Z`."""

    since: str
    until: str

    @property
    def text(self) -> str:
        """As ISO 8601 writes both in one."""
        return f"{self.since}/{self.until}"

    @property
    def seconds(self) -> float:
        return (datetime.fromisoformat(self.until) - datetime.fromisoformat(self.since)).total_seconds()

    def has(self, moment: Any) -> bool:
        """Whether a moment is in it; of what is no moment nobody knows, and it is."""
        try:
            found = datetime.fromisoformat(str(moment))
            return datetime.fromisoformat(self.since) <= found <= datetime.fromisoformat(self.until)
        except (ValueError, TypeError):
            return True
