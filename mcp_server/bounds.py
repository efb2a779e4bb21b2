"""Limits the size of requests, and the length of the parts of a request that appear in messages. Each limit is checked
once, where a request enters the server.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

MOST_VALUES: Final = 10_000
MOST_NAMES: Final = 500
DEEPEST: Final = 32
LONGEST_NAME: Final = 1_000
# The maximum lengths of a value to complete, and of an argument of a prompt.
LONGEST_COMPLETED: Final = 500
LONGEST_OF_A_PROMPT: Final = 10_000
LONGEST_URI: Final = 2_000
LONGEST_SENTENCES: Final = 20_000

# Characters that precede a value. In a list or object, a comma precedes each value except the first.
_MARKS: Final = b",[{"
_MOST_MARKS: Final = 2 * MOST_VALUES
# In JSON, each value has at most one name. A value and its name may both be strings with two quotes each, so there are
# up to four quotes for each value.
_MOST_QUOTES: Final = 4 * MOST_VALUES + 2
# The text is checked with a single match, so that Python does not create an object for each comma or bracket.
# Possessive quantifiers prevent backtracking.
_TOO_MANY_MARKS: Final = re.compile(rb'(?:[^",\[{]*+(?:"[^"]*+"?+[^",\[{]*+)*+[,\[{]){%d}+' % (_MOST_MARKS + 1))


def excess_of_text(text: bytes) -> str:
    """A sentence that says which limit the JSON text exceeds, or an empty string if the text may be parsed.

    Values are counted before parsing, because parsing costs about a hundred times as much as counting.
    """
    if len(text) <= _MOST_MARKS or len(text) - len(text.translate(None, _MARKS)) <= _MOST_MARKS:
        return ""
    # Remove escapes, so that escaped quotes are not mistaken for the end of a string. Commas inside strings do not
    # count.
    plain = text.replace(rb"\\", b"").replace(rb"\"", b"") if b"\\" in text else text
    if plain.count(b'"') > _MOST_QUOTES or _TOO_MANY_MARKS.match(plain):
        return f"The JSON has more than {MOST_VALUES} values."
    return ""


def excess(document: Any) -> str:
    """A sentence that says which limit the parsed JSON document exceeds. Empty if the document is small enough.

    The check stops when a limit is exceeded, so an invalid document never takes longer than a valid one.
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
            return f"The JSON has more than {MOST_VALUES} values."
        if depth > DEEPEST:
            return f"The JSON is nested deeper than {DEEPEST} levels."
        left += [(inner, depth + 1) for inner in (node.values() if isinstance(node, Mapping) else node)]
    return ""


def bounded(sentences: str) -> str:
    """Truncate a message to a readable length, because parts of it may come from the caller."""
    return sentences if len(sentences) <= LONGEST_SENTENCES else f"{sentences[:LONGEST_SENTENCES]} …"
