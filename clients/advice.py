"""Advice that is added to the error messages of a service."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

# Parses a WWW-Authenticate header into an exception if it requires the user to authenticate again.
Challenge = Callable[[str], Exception | None]


@dataclass(frozen=True, slots=True)
class Advice:
    """`hints` say what to do next, by the service's name for a failure; `challenge` parses what the identity provider
    requires first.
    """

    hints: Mapping[str, str] = field(default_factory=dict)
    challenge: Challenge | None = None


NO_ADVICE: Final = Advice()
