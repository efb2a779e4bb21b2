"""The words people use for requests and things, written next to the tools. The catalog itself is domain-neutral."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from mcp_server.declarations.parameter_names import NO_FURTHER_NAMES, ParameterNames

_Words = Mapping[str, str]


@dataclass(frozen=True, eq=False, kw_only=True)
class Vocabulary:
    """The vocabulary of a domain. Words within an entry are separated by commas; each may be a phrase."""

    # A model trained on examples of how people ask for the tools.
    learned: Path | None = None
    # Aliases of parameters, by toolset.
    parameters: Mapping[str, ParameterNames] = field(default_factory=lambda: NO_FURTHER_NAMES)
    # Tools that read any resource of a kind, and the words for that kind.
    fallbacks: _Words = field(default_factory=dict)


NO_WORDS: Final = Vocabulary()
