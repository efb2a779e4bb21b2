"""What somebody is told, whatever it is about and wherever it goes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from invisible import without_invisible

LONGEST_TEXT: Final = 300


@dataclass(frozen=True, slots=True)
class Notification:
    """`id` tells it from every other, also to its receiver. `heading` and the names of `facts` are words of ours; what
    the facts say may be by anybody. Nothing can be done with the `link` but to look, after signing in.
    """

    id: str
    heading: str
    facts: Mapping[str, str]
    link: str


def plain(text: str) -> str:
    """A text of somebody else as one short line without characters that nobody would see."""
    line = " ".join(without_invisible(text.replace("\n", " "), " ").split())
    return line if len(line) <= LONGEST_TEXT else f"{line[:LONGEST_TEXT]}…"
