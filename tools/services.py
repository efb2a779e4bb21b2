"""What tools act on, and how a tool asks for it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Services:
    """Everything beyond its arguments that a tool may use."""
