"""Matches file paths with wildcard patterns. The matching time is limited for every pattern."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Final

_ANY_FOLDERS: Final = "**"
_WILD: Final = frozenset("*?[")


def is_plain(pattern: str) -> bool:
    """Check whether the pattern is a path without wildcards."""
    return not _WILD.intersection(pattern)


def matches(pattern: str, path: str) -> bool:
    """Check whether a path matches. `*` and `?` match within a folder; `**` matches any number of folders."""
    parts, wanted = path.casefold().split("/"), pattern.casefold().strip("/").split("/")
    reached = {0}
    for want in wanted:
        reached = _after(want, parts, reached)
        if not reached:
            return False
    return len(parts) in reached


def begins(beginning: str, path: str) -> bool:
    """Check whether `path` equals `beginning`, or is inside the folder with this path."""
    folder = beginning.casefold().strip("/")
    return not folder or path.casefold() == folder or path.casefold().startswith(f"{folder}/")


def _after(want: str, parts: Sequence[str], reached: set[int]) -> set[int]:
    """Match one segment of a pattern, starting at each position where a match of the previous segments ended. Return
    the positions where the new matches end.
    """
    if want == _ANY_FOLDERS:
        return set(range(min(reached), len(parts) + 1))
    return {at + 1 for at in reached if at < len(parts) and fnmatchcase(parts[at], want)}
