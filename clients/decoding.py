"""Reading the JSON of an answer."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, Final

# Objects, lists and their entries. The parser holds up everything else in this process: this many take it a tenth of
# a second at the worst, where each is an empty list.
MOST_PARTS: Final = 400_000

_ESCAPED: Final = re.compile(
    r"""\\(?: u[dD][89abAB][0-9a-fA-F]{2} \\u[dD][c-fC-F][0-9a-fA-F]{2}  # two halves that make a character
            | (?P<half>u[dD][89a-fA-F][0-9a-fA-F]{2})
            | \\ )""",  # after which another escape may begin; all others are passed over
    re.VERBOSE,
)


class TooManyParts(ValueError):  # noqa: N818 - it says what was found
    """A document that has more parts than can be read without making others wait."""


def decoded(text: str, object_hook: Callable[[dict[str, Any]], Any] | None = None) -> Any:
    """Return the value that a JSON text holds. Half a character becomes the mark for what cannot be read.

    Raises:
        ValueError: It holds none, only a part, or too much.
        RecursionError: It is nested deeper than anything sensible.
    """
    if sum(map(text.count, "[{,")) > MOST_PARTS:
        raise TooManyParts(f"The answer has more than {MOST_PARTS} parts.")
    # No text with half a character could be answered to anybody: it has no form in UTF-8.
    return json.loads(without_halves(text), object_hook=object_hook)


def without_halves(text: str) -> str:
    """JSON in which half a character is the mark for what cannot be read."""
    if "\\ud" not in text and "\\uD" not in text:
        return text
    return _ESCAPED.sub(lambda found: "\\ufffd" if found["half"] else found[0], text)
