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
_VERSION = re.compile(r"(?<![\d.])(?:\b[vV])?(\d+(?:\.\d+)+)")


def asks_for_newest(stem: str) -> bool:
    return stem in _NEWEST_STEMS


def as_words(text: str) -> str:
    """Make a word of each version, so that 1.0 is found in 1.0.3 and not in 2.1.0."""
    return _VERSION.sub(lambda version: version[1].replace(".", _POINT), text)


def beginnings_of_versions(text: str) -> set[str]:
    """Of 1.0.3: 1 and 1.0, by which it is found, too."""
    versions = (version.split(".") for version in set(_VERSION.findall(text)))
    return {_POINT.join(parts[:length]) for parts in versions for length in range(1, len(parts))}


def is_telling(stem: str) -> bool:
    return may_help(stem) and stem not in _ASKING_STEMS
