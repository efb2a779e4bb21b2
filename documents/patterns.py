"""Which paths a pattern means. However it is written, to find that out takes little time."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Final

_ANY_FOLDERS: Final = "**"
_WILD: Final = frozenset("*?[")


def is_plain(pattern: str) -> bool:
    """Whether it names one beginning of paths, and not many."""
    return not _WILD.intersection(pattern)


def matches(pattern: str, path: str) -> bool:
    """Whether a path is meant: `*` and `?` stay within a folder, `**` is any number of folders."""
    parts, wanted = path.casefold().split("/"), pattern.casefold().strip("/").split("/")
    reached = {0}
    for want in wanted:
        reached = _after(want, parts, reached)
        if not reached:
            return False
    return len(parts) in reached


def begins(beginning: str, path: str) -> bool:
    """Whether a path is this file, or in this folder."""
    folder = beginning.casefold().strip("/")
    return not folder or path.casefold() == folder or path.casefold().startswith(f"{folder}/")


def _after(want: str, parts: Sequence[str], reached: set[int]) -> set[int]:
    """How far a path can be read with one more part of the pattern."""
    if want == _ANY_FOLDERS:
        return set(range(min(reached), len(parts) + 1))
    return {at + 1 for at in reached if at < len(parts) and fnmatchcase(parts[at], want)}
