"""Problems that the checker finds. Each problem has a level, and a code that the Bicep compiler or
this checker defines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

ERROR, WARNING = "error", "warning"
# Compiler codes that are always warnings.
_WARNINGS: Final = frozenset({"BCP081", "BCP179", "BCP187", "BCP225", "BCP318", "BCP321", "no-unnecessary-dependson"})


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """A problem in a Bicep file. `code` is the Bicep compiler's code for the problem (BCP… or a linter rule). If the
    compiler has no code for the problem, `code` is our own code.
    """

    file: str
    line: int
    code: str
    level: str
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.level} {self.code}: {self.text}"


# A function that reports a problem. The arguments are the line number, code and text of the problem. If the level
# differs from the usual level of the code, the level is an additional argument.
Tell = Callable[..., None]


def usual_level(code: str) -> str:
    return WARNING if code in _WARNINGS else ERROR


def nearest(name: str, among: Iterable[str]) -> str:
    """Return the most similar name, as the compiler would suggest it. The result is empty if no name is similar."""
    longest, least = min(2, int(len(name) * 0.34)), int(len(name) * 0.4) + 1.0
    found = ""
    for candidate in sorted(among):
        if candidate.lower() == name.lower():
            return candidate
        if (
            abs(len(candidate) - len(name)) <= longest
            and (distance := _distance(name.lower(), candidate.lower())) < least
        ):
            found, least = candidate, distance
    return found


def _distance(one: str, other: str) -> int:
    """Return the edit distance between two names."""
    row = list(range(len(other) + 1))
    for above, letter in enumerate(one):
        before, row[0] = row[0], above + 1
        for place, against in enumerate(other, 1):
            before, row[place] = row[place], min(row[place] + 1, row[place - 1] + 1, before + (letter != against))
    return row[-1]


def proposal(name: str, among: Iterable[str]) -> str:
    return f"; did you mean {found}?" if (found := nearest(name, among)) else ""
