"""Limits on what callers may send and on what the server echoes back. Each is checked once, at the boundary."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

MOST_VALUES: Final = 10_000
MOST_NAMES: Final = 500
DEEPEST: Final = 32
LONGEST_NAME: Final = 1_000
# Limit for text typed into a completion, and for text that a prompt embeds.
LONGEST_COMPLETED: Final = 500
LONGEST_OF_A_PROMPT: Final = 10_000
LONGEST_URI: Final = 2_000
LONGEST_SENTENCES: Final = 20_000

# Characters that start a value: all values but the first in a list or object follow a comma.
_MARKS: Final = b",[{"
_MOST_MARKS: Final = 2 * MOST_VALUES
# Each value has at most one name, and both may be strings.
_MOST_QUOTES: Final = 4 * MOST_VALUES + 2
# A single match, so no object is created per mark. Possessive quantifiers prevent backtracking.
_TOO_MANY_MARKS: Final = re.compile(rb'(?:[^",\[{]*+(?:"[^"]*+"?+[^",\[{]*+)*+[,\[{]){%d}+' % (_MOST_MARKS + 1))


def excess_of_text(text: bytes) -> str:
    """Say in a sentence which limit the JSON text exceeds; return an empty string if it may be parsed.

    Parsing creates an object for every value, at about a hundred times the cost of the text. So count values first.
    """
    if len(text) <= _MOST_MARKS or len(text) - len(text.translate(None, _MARKS)) <= _MOST_MARKS:
        return ""
    # Marks inside strings do not count. Escaped quotes do not end a string.
    plain = text.replace(rb"\\", b"").replace(rb"\"", b"") if b"\\" in text else text
    if plain.count(b'"') > _MOST_QUOTES or _TOO_MANY_MARKS.match(plain):
        return f"It has more than {MOST_VALUES} values."
    return ""


def excess(document: Any) -> str:
    """Say in a sentence which limit the JSON document exceeds; return an empty string if it is small enough.

    The check stops at the first excess, so it never costs more than an accepted document.
    """
    seen, left = 0, [(document, 1)]
    while left:
        node, depth = left.pop()
        if isinstance(node, Mapping):
            if len(node) > MOST_NAMES:
                return f"An object has {len(node)} names; at most {MOST_NAMES} are allowed."
            if any(len(name) > LONGEST_NAME for name in node):
                return f"A name in an object is longer than {LONGEST_NAME} characters."
        elif not isinstance(node, list):
            continue
        seen += len(node)
        if seen > MOST_VALUES:
            return f"It has more than {MOST_VALUES} values."
        if depth > DEEPEST:
            return f"It is nested deeper than {DEEPEST} levels."
        left += [(inner, depth + 1) for inner in (node.values() if isinstance(node, Mapping) else node)]
    return ""


def bounded(sentences: str) -> str:
    """Truncate a message to a readable length: parts of it may come from the caller."""
    return sentences if len(sentences) <= LONGEST_SENTENCES else f"{sentences[:LONGEST_SENTENCES]} …"
