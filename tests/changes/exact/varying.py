"""Other arguments that a tool takes just as well as those of its golden case."""

from __future__ import annotations

import re
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from random import Random
from typing import Any, Final

from tests.changes.exact.meddling import Json, Way, at, texts_of

# Words as people and models write them, with what programs trip over.
_WORDS: Final = (
    "Zwölf",
    "o'Clock",
    "<b>Loaf</b>",
    "100 %",
    "a/b",
    'say "rye"',
    "ünïcode ☃",
    "UPPER",
    "tab\tbed",
    "x" * 300,
)
_AROUND: Final = ("{}", " {}", "{} ", "  {}  ", "{}\n")
_IDENTIFIER: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-|[0-9a-f]{40}|https?:|vstfs:|/", re.IGNORECASE)


@dataclass(frozen=True)
class Variation:
    arguments: Mapping[str, Any]
    # The new texts, and in whose place they are.
    spelt: Mapping[str, str]


def any_variation(arguments: Mapping[str, Any], schema: Json, random: Random) -> Variation:
    """The arguments with one or two texts in other words, and sometimes without what may be left out."""
    varied = deepcopy(dict(arguments))
    spelt: dict[str, str] = {}
    texts = [way for way in texts_of(varied) if _is_free(varied, way, schema)]
    for way in random.sample(texts, min(len(texts), random.randint(1, 2))):
        holder = at(varied, way[:-1])
        old, word = holder[way[-1]], random.choice(_WORDS)
        core = f"{old} {word}" if random.random() < 0.8 else f"{word} {old}"
        holder[way[-1]] = random.choice(_AROUND).format(core)
        spelt |= {holder[way[-1]]: old, core: old}
    optional = [name for name in varied if name not in schema.get("required", ()) and name not in _ways(spelt, varied)]
    if optional and random.random() < 0.3:
        del varied[random.choice(optional)]
    return Variation(varied, spelt)


def _ways(spelt: Mapping[str, str], varied: Mapping[str, Any]) -> set[str]:
    return {str(way[0]) for way in texts_of(varied) if at(varied, way) in spelt}


def _is_free(arguments: Json, way: Way, schema: Json) -> bool:
    value, declared = at(arguments, way), schema["properties"].get(way[0], {})
    is_listed = any(key in str(declared) for key in ("'enum'", "'const'", "'pattern'", "'format'"))
    return isinstance(value, str) and bool(value) and not is_listed and not _IDENTIFIER.match(value)
