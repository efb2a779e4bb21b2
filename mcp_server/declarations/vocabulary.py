"""What people call things, written down next to the tools: the catalog itself knows no trade."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from mcp_server.declarations.parameter_names import NO_FURTHER_NAMES, ParameterNames

_Words = Mapping[str, str]


@dataclass(frozen=True, eq=False, kw_only=True)
class Vocabulary:
    """Words of a trade. Those of one entry are parted by commas; each may be a phrase."""

    # What a thing is called, and its other names.
    names: _Words = field(default_factory=dict)
    # What a thing is a kind of: who speaks of a bug speaks of a work item.
    kinds: _Words = field(default_factory=dict)
    # Things that have names of their own, which stand before them: the web repository.
    named: str = ""
    # How people ask for a tool, by its name.
    sayings: _Words = field(default_factory=dict)
    # Things of the neighbourhood for which there is no tool, and how people ask for what none does.
    elsewhere: str = ""
    nothing: str = ""
    # Tools that look for any words, and the things in which they look.
    searches: _Words = field(default_factory=dict)
    # What callers call the parameters of tools, by toolset.
    parameters: Mapping[str, ParameterNames] = field(default_factory=lambda: NO_FURTHER_NAMES)
    # Tools that read anything of a kind, and words that speak of that kind.
    fallbacks: _Words = field(default_factory=dict)


NO_WORDS: Final = Vocabulary()
