"""What people ask for and call things, written down next to the tools: the catalog itself knows no trade."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from mcp_server.declarations.parameter_names import NO_FURTHER_NAMES, ParameterNames

_Words = Mapping[str, str]


@dataclass(frozen=True, eq=False, kw_only=True)
class Vocabulary:
    """What is known of the words of a trade. Those of one entry are parted by commas; each may be a phrase."""

    # What was learned from examples of how people ask for the tools.
    learned: Path | None = None
    # What callers call the parameters of tools, by toolset.
    parameters: Mapping[str, ParameterNames] = field(default_factory=lambda: NO_FURTHER_NAMES)
    # Tools that read anything of a kind, and words that speak of that kind.
    fallbacks: _Words = field(default_factory=dict)


NO_WORDS: Final = Vocabulary()
