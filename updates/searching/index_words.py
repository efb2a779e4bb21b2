"""Which words of a question tell what it is about."""

from __future__ import annotations

from kept_index.words import may_help, stems

# Words by which people ask for updates as such: they help to rank, but nothing is found or missed because of them.
_ASKING = frozenset(
    """
    announced announcement announcements change changed changes happened latest new news occurred recent recently
    update updated updates
    """.split()
)
_ASKING_STEMS = frozenset(stems(" ".join(_ASKING)))


def is_telling(stem: str) -> bool:
    return may_help(stem) and stem not in _ASKING_STEMS
