"""The table of invisible characters. In untrusted text, invisible characters can hide instructions from people, but not
from a model.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_RANGES: Final = (
    # Soft hyphen, joiners, direction marks, invisible operators, byte order mark, annotations, shorthand and music.
    r"\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff0-\ufffb"
    r"\U00013430-\U00013440\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    # Letters, marks and symbols that fonts display as blank: Hangul fillers, other fillers, and the blank Braille
    # pattern.
    r"\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\U00013441\U00013442\U00016fe4\U0001d159"
    # Variation selectors and tags. A sequence of these characters can encode a hidden text.
    r"\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0000-\U000e0fff"
)
# Prose needs control characters and line separators, so the pattern does not match them. `is_invisible` includes these
# characters. The pattern first tests for non-ASCII characters, so that only a few characters are compared with the
# ranges. With this order, matching takes a quarter of the time.
INVISIBLE: Final = re.compile(rf"[^\x00-\x7f](?<=[{_RANGES}])")
# Matches one visible letter, for patterns that allow Unicode letters.
VISIBLE_LETTER: Final = rf"(?![{_RANGES}])[^\W\d]"
_DOUBTFUL: Final = re.compile(r"[^\x20-\x7e]")
_RUN: Final = re.compile(f"(.?)([{_RANGES}]+)", re.DOTALL)
# The joiners and variation selectors, alone or in sequence, that are valid after a visible character: they join letters
# in Persian or Hindi, or combine emoji.
_JOINERS: Final = frozenset({"\u200c", "\u200d", "\ufe0e", "\ufe0f", "\ufe0f\u200d"})


def is_invisible(character: str) -> bool:
    if INVISIBLE.match(character):
        return True
    return not character.isprintable() and unicodedata.category(character) != "Zs"


def has_invisible(text: str) -> bool:
    return any(is_invisible(found[0]) for found in _DOUBTFUL.finditer(text))


def is_printable(text: str) -> bool:
    """Whether the text is one line of visible characters and ordinary spaces."""
    return text.isprintable() and not INVISIBLE.search(text)


def without_invisible(text: str, instead: str = "") -> str:
    """Replace each invisible character with `instead`. Line ends are not replaced."""
    return _DOUBTFUL.sub(
        lambda found: instead if found[0] != "\n" and is_invisible(found[0]) else found[0],
        text,
    )


def escaped(text: str) -> str:
    r"""Escape invisible characters, for example as \u200b. Tabs and line ends stay unchanged."""
    return _DOUBTFUL.sub(
        lambda found: _escape(found[0]) if found[0] not in "\t\r\n" and is_invisible(found[0]) else found[0],
        text,
    )


def _escape(character: str) -> str:
    code = ord(character)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def with_joiners_only(prose: str) -> str:
    """Remove invisible characters, except joiners inside words and emoji."""
    return prose if prose.isascii() else _RUN.sub(_joined, prose)


def _joined(run: re.Match[str]) -> str:
    before, unseen = run.groups()
    is_joined = before and not before.isspace() and unseen in _JOINERS
    return f"{before}{unseen}" if is_joined else before
