"""What the check tells: with the codes and levels of Bicep's compiler, and with words of ours for the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

ERROR, WARNING = "error", "warning"
# Of the codes that the compiler knows, these are warnings wherever they stand.
_WARNINGS: Final = frozenset({"BCP081", "BCP179", "BCP187", "BCP225", "BCP318", "BCP321", "no-unnecessary-dependson"})


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """`code` is the compiler's (BCP… or a rule of its linter), or a word where the compiler says nothing."""

    file: str
    line: int
    code: str
    level: str
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.level} {self.code}: {self.text}"


# Line, code, text, and the level where it is not the usual one of the code.
Tell = Callable[..., None]


def usual_level(code: str) -> str:
    return WARNING if code in _WARNINGS else ERROR


def nearest(name: str, among: Iterable[str]) -> str:
    """The one name that was probably meant, as the compiler proposes it; nothing where none is near."""
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
    """How many letters to add, take away or change."""
    row = list(range(len(other) + 1))
    for above, letter in enumerate(one):
        before, row[0] = row[0], above + 1
        for place, against in enumerate(other, 1):
            before, row[place] = row[place], min(row[place] + 1, row[place - 1] + 1, before + (letter != against))
    return row[-1]


def proposal(name: str, among: Iterable[str]) -> str:
    return f"; {found} was probably meant" if (found := nearest(name, among)) else ""
