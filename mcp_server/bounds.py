"""How much a caller may send, and how much is said of it: each is checked once, where it enters or leaves."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

MOST_VALUES: Final = 10_000
MOST_NAMES: Final = 500
DEEPEST: Final = 32
LONGEST_NAME: Final = 1_000
# What is typed while somebody waits for a completion, and what a prompt writes into its text.
LONGEST_COMPLETED: Final = 500
LONGEST_OF_A_PROMPT: Final = 10_000
LONGEST_URI: Final = 2_000
LONGEST_SENTENCES: Final = 20_000

# What begins a value: each but the first of its list or object comes after a comma.
_MARKS: Final = b",[{"
_MOST_MARKS: Final = 2 * MOST_VALUES
# Each value has a name at most, and both may be strings.
_MOST_QUOTES: Final = 4 * MOST_VALUES + 2
# All in one match, which makes no object for each mark; what is once read is never read again.
_TOO_MANY_MARKS: Final = re.compile(rb'(?:[^",\[{]*+(?:"[^"]*+"?+[^",\[{]*+)*+[,\[{]){%d}+' % (_MOST_MARKS + 1))


def excess_of_text(text: bytes) -> str:
    """What there is too much of in JSON text, in a sentence; nothing if it may be parsed.

    Parsing makes an object of every value, which costs a hundred times what the text does: so they are counted before.
    """
    if len(text) <= _MOST_MARKS or len(text) - len(text.translate(None, _MARKS)) <= _MOST_MARKS:
        return ""
    # Some of the marks may stand in strings, and then they are none. Quotes that are escaped end no string.
    plain = text.replace(rb"\\", b"").replace(rb"\"", b"") if b"\\" in text else text
    if plain.count(b'"') > _MOST_QUOTES or _TOO_MANY_MARKS.match(plain):
        return f"It has more than {MOST_VALUES} values."
    return ""


def excess(document: Any) -> str:
    """What there is too much of in a JSON document, in a sentence; nothing if it is small enough.

    It is looked at no further than up to the first that is too much, so that this costs what is accepted at most.
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
    """What a caller is told, cut off where it is longer than anybody reads: parts of it may be what the caller sent."""
    return sentences if len(sentences) <= LONGEST_SENTENCES else f"{sentences[:LONGEST_SENTENCES]} …"
