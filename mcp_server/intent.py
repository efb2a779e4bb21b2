"""Which toolsets and commands fit some words best."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from mcp_server.toolset import Tool, Toolset

_WORD: Final = re.compile(r"[a-z0-9]+")
_EMPTY_WORDS: Final = frozenset(
    (
        "a all an and are as at be by can do for from get give have how i in is it let list me my need of on or our"
        " please show some tell that the their them these they this those to us want was we what when where which who"
        " will with you"
    ).split()
)
_NAME_WEIGHT: Final = 3.0
_PLURALS: Final = re.compile(r"(?<=[a-z]{3})(?:es|s)$")


@dataclass(frozen=True, slots=True)
class Match:
    toolset: Toolset
    tool: Tool
    score: float


def best_matches(words: str, toolsets: Sequence[Toolset], limit: int) -> list[Match]:
    """Rank the tools that share words with these; a word that few tools have counts more."""
    wanted = set(_words(words))
    tools = [(toolset, tool, _weighted_words(toolset, tool)) for toolset in toolsets for tool in toolset.tools]
    spread = Counter(word for _, _, weights in tools for word in weights)
    rarity = {word: math.log(1 + len(tools) / spread[word]) for word in wanted if word in spread}
    matches = [
        Match(toolset, tool, sum(weights.get(word, 0.0) * weight for word, weight in rarity.items()))
        for toolset, tool, weights in tools
    ]
    found = sorted((match for match in matches if match.score > 0), key=lambda match: (-match.score, match.tool.name))
    return found[:limit]


def _weighted_words(toolset: Toolset, tool: Tool) -> dict[str, float]:
    said = dict.fromkeys(_words(f"{toolset.description} {tool.description}"), 1.0)
    return said | dict.fromkeys(_words(f"{toolset.name} {tool.name} {tool.title}"), _NAME_WEIGHT)


def _words(text: str) -> list[str]:
    return [_PLURALS.sub("", word) for word in _WORD.findall(text[:2000].lower()) if word not in _EMPTY_WORDS]
