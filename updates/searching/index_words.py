"""Separates the words that name the subject of a query from general words, such as "new" or "update"."""

from __future__ import annotations

import re

from kept_index.tokenizing import may_help, stems

# Replaces the point in a version number, so that the version is a single word.
_POINT = "point"

# Words that refer to updates in general. These words affect the ranking, but updates without them also match.
_ASKING = frozenset(
    """
    announced announcement announcements change changed changes happened latest new news occurred recent recently
    update updated updates
    """.split()
)
_ASKING_STEMS = frozenset(stems(" ".join(_ASKING)))


# Words in a query that ask for the newest updates. Updates need not contain these words.
_NEWEST_STEMS = frozenset(stems("latest newest recent recently"))
# The pattern starts with a character class, which is ten times as fast as starting with a lookbehind. The lookbehind
# comes after the character class, and prevents matches that start within a number.
_VERSION = re.compile(r"[vV0-9](?<![vV0-9][0-9])[0-9]*(?:\.[0-9]+)+")


def asks_for_newest(stem: str) -> bool:
    return stem in _NEWEST_STEMS


def as_words(text: str) -> str:
    """Turn each version number into a single word, so that 1.0 matches 1.0.3 but not 2.1.0."""
    return _VERSION.sub(_as_word, text) if "." in text else text


def beginnings_of_versions(text: str) -> set[str]:
    """Return the prefixes of version numbers, so that queries with a prefix also match. For example, the prefixes of
    1.0.3 are 1 and 1.0.
    """
    versions = {_parts(found)[1] for found in _VERSION.finditer(text)}
    numbers = (version.split(".") for version in versions if version)
    return {_POINT.join(number[:length]) for number in numbers for length in range(1, len(number))}


def _as_word(found: re.Match[str]) -> str:
    before, version = _parts(found)
    return before + version.replace(".", _POINT)


def _parts(found: re.Match[str]) -> tuple[str, str]:
    """Split a match into two parts: the text before the version number, and the version number without a leading v."""
    text, before = found[0], found.string[found.start() - 1 : found.start()]
    follows_word = before.isalnum() or before in {"_", "."}
    if text[0].isdigit():
        return (text, "") if before == "." else ("", text)
    if text[1] == ".":
        return text, ""
    return (text[0] if follows_word else ""), text[1:]


def is_telling(stem: str) -> bool:
    return may_help(stem) and stem not in _ASKING_STEMS
