"""What people call things, written down next to the tools: the catalog itself knows no trade."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

_Words = Mapping[str, str]


@dataclass(frozen=True, eq=False, kw_only=True)
class Vocabulary:
    """Words of a trade. Those of one entry are parted by commas; each may be a phrase."""

    # What a thing is called, and its other names.
    names: _Words = field(default_factory=dict)
    # What a thing is a kind of: who speaks of a bug speaks of a work item.
    kinds: _Words = field(default_factory=dict)
    # How people ask for a tool, by its name.
    sayings: _Words = field(default_factory=dict)
    # Things of the neighbourhood for which there is no tool.
    elsewhere: str = ""
    # Tools that look for any words: what else is said is what they look for.
    searches: Sequence[str] = ()


NO_WORDS: Final = Vocabulary()
