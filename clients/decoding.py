"""Parses the JSON of a response."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, Final

# The maximum number of objects, lists and entries. Parsing this many empty lists blocks the process for at most a tenth
# of a second.
MOST_PARTS: Final = 400_000

_ESCAPED: Final = re.compile(
    r"""\\(?: u[dD][89abAB][0-9a-fA-F]{2} \\u[dD][c-fC-F][0-9a-fA-F]{2}  # a valid surrogate pair
            | (?P<half>u[dD][89a-fA-F][0-9a-fA-F]{2})
            | \\ )""",  # other escapes, which stay unchanged
    re.VERBOSE,
)


class TooManyParts(ValueError):  # noqa: N818 - named after its cause
    """The document has so many objects, lists and entries that parsing would block other requests."""


def decoded(text: str, object_hook: Callable[[dict[str, Any]], Any] | None = None) -> Any:
    """Parse JSON. Lone surrogates become the replacement character.

    Raises:
        ValueError: The text is empty, incomplete, invalid or too large.
        RecursionError: The JSON is nested too deeply.
    """
    if sum(map(text.count, "[{,")) > MOST_PARTS:
        raise TooManyParts(f"The response has more than {MOST_PARTS} parts.")
    # Replace lone surrogates, because UTF-8 cannot encode them.
    return json.loads(without_halves(text), object_hook=object_hook)


def without_halves(text: str) -> str:
    """Replace lone surrogates in JSON."""
    if "\\ud" not in text and "\\uD" not in text:
        return text
    return _ESCAPED.sub(lambda found: "\\ufffd" if found["half"] else found[0], text)
