"""Advice that the server adds to the error messages of a service."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

# Reads a WWW-Authenticate header. Returns an exception if the user must sign in again, otherwise None.
Challenge = Callable[[str], Exception | None]


@dataclass(frozen=True, slots=True)
class Advice:
    """How the server explains the errors of a service to callers.

    `hints` maps the service's error codes to the next step. `challenge` detects whether a response requires the user to
    sign in again.
    """

    hints: Mapping[str, str] = field(default_factory=dict)
    challenge: Challenge | None = None


NO_ADVICE: Final = Advice()
