"""The words that people use to ask for tools.

Tools declare these words, so that the catalog does not depend on any domain.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from mcp_server.declarations.parameter_names import NO_FURTHER_NAMES, ParameterNames

_Words = Mapping[str, str]


@dataclass(frozen=True, eq=False, kw_only=True)
class Vocabulary:
    """The vocabulary of a domain. Each value is a list of words or phrases, separated by commas."""

    # A model that was trained with examples of how people ask for tools.
    learned: Path | None = None
    # The aliases of parameters, by toolset.
    parameters: Mapping[str, ParameterNames] = field(default_factory=lambda: NO_FURTHER_NAMES)
    # Maps a tool's name to the words for a kind of resource, if the tool can read every resource of this kind.
    fallbacks: _Words = field(default_factory=dict)


NO_WORDS: Final = Vocabulary()
