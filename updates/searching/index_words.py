"""Which words of a question tell what it is about."""

from __future__ import annotations

import re

from kept_index.tokenizing import may_help, stems

# A point in a version, in letters: it is one word then.
_POINT = "point"

# Words by which people ask for updates as such: they help to rank, but nothing is found or missed because of them.
_ASKING = frozenset(
    """
    announced announcement announcements change changed changes happened latest new news occurred recent recently
    update updated updates
    """.split()
)
_ASKING_STEMS = frozenset(stems(" ".join(_ASKING)))


# By which people ask for the newest first, and not for updates with this word in them.
_NEWEST_STEMS = frozenset(stems("latest newest recent recently"))
# It begins with a plain set of characters, because those are found ten times as fast as what looks behind first. Then
# it looks behind, because what fails at the first of many digits fails at all of them.
_VERSION = re.compile(r"[vV0-9](?<![vV0-9][0-9])[0-9]*(?:\.[0-9]+)+")


def asks_for_newest(stem: str) -> bool:
    return stem in _NEWEST_STEMS


def as_words(text: str) -> str:
    """Make a word of each version, so that 1.0 is found in 1.0.3 and not in 2.1.0."""
    return _VERSION.sub(_as_word, text) if "." in text else text


def beginnings_of_versions(text: str) -> set[str]:
    """Of 1.0.3: 1 and 1.0, by which it is found, too."""
    versions = {_parts(found)[1] for found in _VERSION.finditer(text)}
    numbers = (version.split(".") for version in versions if version)
    return {_POINT.join(number[:length]) for number in numbers for length in range(1, len(number))}


def _as_word(found: re.Match[str]) -> str:
    before, version = _parts(found)
    return before + version.replace(".", _POINT)


def _parts(found: re.Match[str]) -> tuple[str, str]:
    """What of it is no version, and the version. A v before it belongs to neither if it is a word of its own."""
    text, before = found[0], found.string[found.start() - 1 : found.start()]
    follows_word = before.isalnum() or before in {"_", "."}
    if text[0].isdigit():
        return (text, "") if before == "." else ("", text)
    if text[1] == ".":
        return text, ""
    return (text[0] if follows_word else ""), text[1:]


def is_telling(stem: str) -> bool:
    return may_help(stem) and stem not in _ASKING_STEMS
