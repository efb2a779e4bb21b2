"""What callers are told of failures beyond what a service says."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

# Reads a WWW-Authenticate header: the exception for what the user has to prove first, if the header asks for that.
Challenge = Callable[[str], Exception | None]


@dataclass(frozen=True, slots=True)
class Advice:
    """`hints` tell what to do next, by what the service calls a failure; `challenge` reads what the identity provider
    wants to see first.
    """

    hints: Mapping[str, str] = field(default_factory=dict)
    challenge: Challenge | None = None


NO_ADVICE: Final = Advice()
