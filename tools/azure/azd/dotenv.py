"""Reads the .env file in which azd stores the values of an environment."""

from __future__ import annotations

import re
from typing import Final

_LINE: Final = re.compile(r"\s*+(?:export\s++)?([A-Za-z_][\w.-]*+)\s*+=[ \t]*+(.*)")
_QUOTED: Final = re.compile(r'"((?:[^"\\]|\\.)*)"')
_ESCAPED: Final = re.compile(r"\\(.)")
_ESCAPES: Final = {"n": "\n", "r": "\r", "t": "\t"}


def values_in(text: str) -> dict[str, str]:
    """Parse the file, and return its values by name. Lines in another format are ignored."""
    found = (_LINE.fullmatch(line) for line in text.split("\n"))
    return {one[1]: _value(one[2].rstrip()) for one in found if one}


def _value(text: str) -> str:
    if quoted := _QUOTED.match(text):
        return _ESCAPED.sub(lambda one: _ESCAPES.get(one[1], one[1]), quoted[1])
    if len(text) > 1 and text[0] == text[-1] == "'":
        return text[1:-1]
    return text.partition(" #")[0].rstrip()
