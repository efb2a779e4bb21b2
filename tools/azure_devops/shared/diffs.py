"""Computes unified diffs of two texts, because the service does not."""

from __future__ import annotations

from difflib import unified_diff
from itertools import takewhile
from typing import Final

from tools.azure_devops.shared.file_contents import lines_of

# The maximum number of line pairs to compare. Comparing this many pairs takes a fraction of a second.
_MOST_PAIRS: Final = 4_000_000
_CONTEXT: Final = 3


def unified(old: str, new: str, old_name: str, new_name: str) -> str | None:
    """Return the diff of two texts, or None if the comparison would take too long."""
    before, after = lines_of(old), lines_of(new)
    kept = _alike(before, after)
    if (len(before) - kept) * (len(after) - kept) > _MOST_PAIRS:
        return None
    return "".join(map(_ended, unified_diff(before, after, old_name, new_name, n=_CONTEXT)))


def _alike(before: list[str], after: list[str]) -> int:
    """Return the total number of lines that two texts have in common at the beginning and at the end."""
    pairs = zip(before, after, strict=False)
    head = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    tails = zip(reversed(before[head:]), reversed(after[head:]), strict=False)
    return head + sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], tails))


def _ended(line: str) -> str:
    return line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
