"""Finds tools whose names a caller wrote, and tools to suggest if no tool matches a request."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from mcp_server.declarations.names import folded, names_of
from mcp_server.declarations.tool import Tool
from mcp_server.declarations.toolset import Toolset
from mcp_server.view import View
from understanding.features import words_of

# Matches a complete or partial command name with at least two words.
_NAME: Final = re.compile(r"[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+)+")


def called_so(words: str, toolsets: Sequence[Toolset]) -> Sequence[Tool]:
    """The commands whose name consists of these words.

    If no command has this name, returns the commands whose names contain these words in the same order.
    """
    tools = [tool for toolset in toolsets for tool in toolset.tools]
    name = folded("_".join(words.split()))
    if exact := [tool for tool in tools if name in map(folded, names_of(tool))]:
        return exact
    if not _NAME.fullmatch(words.strip()):
        return []
    return [tool for tool in tools if any(f"_{name}_" in f"_{folded(known)}_" for known in names_of(tool))]


def fallbacks(words: str, view: View) -> Sequence[Tool]:
    """The tools that can read the kind of resource that these words mention."""
    spoken = _singular(words)
    there = {tool.name: tool for toolset in view.toolsets for tool in toolset.tools}
    return [
        there[name]
        for name, things in view.vocabulary.fallbacks.items()
        if name in there and any(_singular(thing) in spoken for thing in things.split(","))
    ]


def _singular(words: str) -> str:
    return f" {' '.join(word.removesuffix('s') for word in words_of(words))} "
