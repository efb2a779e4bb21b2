"""Decodes the JSON of a response."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, Final

# Objects, lists and their entries. The parser blocks this process: this many take at most a tenth of a second, if each
# is an empty list.
MOST_PARTS: Final = 400_000

_ESCAPED: Final = re.compile(
    r"""\\(?: u[dD][89abAB][0-9a-fA-F]{2} \\u[dD][c-fC-F][0-9a-fA-F]{2}  # a valid surrogate pair
            | (?P<half>u[dD][89a-fA-F][0-9a-fA-F]{2})
            | \\ )""",  # after which another escape may begin; all others are passed over
    re.VERBOSE,
)


class TooManyParts(ValueError):  # noqa: N818 - named for what was found
    """A document with more parts than can be parsed without blocking other requests."""


def decoded(text: str, object_hook: Callable[[dict[str, Any]], Any] | None = None) -> Any:
    """Return the value of a JSON text. Lone surrogates become the replacement character.

    Raises:
        ValueError: It is missing, incomplete, or too large.
        RecursionError: It is nested too deeply.
    """
    if sum(map(text.count, "[{,")) > MOST_PARTS:
        raise TooManyParts(f"The response has more than {MOST_PARTS} parts.")
    # A text with a lone surrogate cannot be returned, because UTF-8 cannot encode it.
    return json.loads(without_halves(text), object_hook=object_hook)


def without_halves(text: str) -> str:
    """JSON with lone surrogates replaced."""
    if "\\ud" not in text and "\\uD" not in text:
        return text
    return _ESCAPED.sub(lambda found: "\\ufffd" if found["half"] else found[0], text)
