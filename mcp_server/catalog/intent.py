"""Which toolsets and commands fit some words best."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from weakref import WeakKeyDictionary

from mcp_server.declarations.names import names_of
from mcp_server.declarations.tool import Tool
from mcp_server.declarations.toolset import Toolset

# A number alone says nothing about a tool, and a single letter is no word.
_WORD: Final = re.compile(r"[a-z][a-z0-9]+")
_EMPTY_WORDS: Final = frozenset(
    (
        "about all am an and any are as at be been being by can could do does for from get give has have how if in"
        " is it its let list me my need no not of on or our please service services should show so some such tell"
        " that the their them then there these they this those to us want was we what when where which who why will"
        " with would you your"
    ).split()
)
# What people say, and what tools are called: these are looked for as well.
_SYNONYMS: Final[Mapping[str, tuple[str, ...]]] = {
    "news": ("update", "launch"),
    **dict.fromkeys(("announced", "announcement", "release", "released"), ("launch",)),
    **dict.fromkeys(("deprecate", "deprecated", "deprecation", "discontinued", "eol"), ("retirement",)),
    **dict.fromkeys(("retire", "retired", "retiring", "sunset"), ("retirement",)),
    **dict.fromkeys(("allow", "allowlist", "port", "traffic", "unblock", "whitelist"), ("firewall",)),
}
_SHORTEST_PLURAL: Final = 4
_INTENT_READ: Final = 2000

_NAME_WEIGHT: Final = 3.0
_DESCRIPTION_WEIGHT: Final = 1.5
_TOOLSET_WEIGHT: Final = 1.0
_PARAMETER_WEIGHT: Final = 0.5

_Weights = Mapping[str, float]
# What is said in a tool does not change, but tools of replaced catalogs go, and must not be kept by this.
_OWN_WEIGHTS: Final[WeakKeyDictionary[Tool, _Weights]] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class Match:
    toolset: Toolset
    tool: Tool
    score: float


def best_matches(words: str, toolsets: Sequence[Toolset], limit: int) -> list[Match]:
    """Rank the tools that share words with these; among equals, the one declared first."""
    wanted = _with_synonyms(_words(words[:_INTENT_READ]))
    tools = [(toolset, tool, _weights(toolset, tool)) for toolset in toolsets for tool in toolset.tools]
    rarity = _rarity([weights for _, _, weights in tools])
    matches = [
        Match(toolset, tool, sum(weights[word] * rarity[word] for word in wanted & weights.keys()))
        for toolset, tool, weights in tools
    ]
    found = [match for match in matches if match.score > 0]
    return sorted(found, key=lambda match: match.score, reverse=True)[:limit]


def _with_synonyms(words: set[str]) -> set[str]:
    return words.union(*(_SYNONYMS.get(word, ()) for word in words))


def _rarity(tools: Sequence[_Weights]) -> _Weights:
    """How well each word tells the tools apart: nothing for a word that all of them have in equal measure."""
    if len(tools) == 1:
        return dict.fromkeys(tools[0], 1.0)
    having = defaultdict(list)
    for weights in tools:
        for word, weight in weights.items():
            having[word].append(weight)
    return {word: math.log(len(tools) * max(weights) / sum(weights)) for word, weights in having.items()}


def _weights(toolset: Toolset, tool: Tool) -> _Weights:
    weights = dict(_own_weights(tool))
    for word in _words(f"{toolset.name} {toolset.description}"):
        weights[word] = max(weights.get(word, 0.0), _TOOLSET_WEIGHT)
    return weights


def _own_weights(tool: Tool) -> _Weights:
    if tool not in _OWN_WEIGHTS:
        _OWN_WEIGHTS[tool] = _weighed(tool)
    return _OWN_WEIGHTS[tool]


def _weighed(tool: Tool) -> _Weights:
    parameters = tool.input_schema.get("properties", {})
    described = " ".join(f"{name} {schema.get('description', '')}" for name, schema in parameters.items())
    return {
        **dict.fromkeys(_words(described), _PARAMETER_WEIGHT),
        **dict.fromkeys(_words(tool.description), _DESCRIPTION_WEIGHT),
        **dict.fromkeys(_words(f"{' '.join(names_of(tool))} {tool.title}"), _NAME_WEIGHT),
    }


def _words(text: str) -> set[str]:
    return {_singular(word) for word in _WORD.findall(text.lower()) if word not in _EMPTY_WORDS}


def _singular(word: str) -> str:
    # Short words are seldom plurals (`dns`), and `news` is more than one `new`.
    if len(word) < _SHORTEST_PLURAL or word in _SYNONYMS:
        return word
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    if word.endswith(("sses", "shes", "xes", "nches", "rches", "tches")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and word[-2] not in "siu" else word
