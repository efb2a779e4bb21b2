"""What somebody is told, whatever it is about and wherever it goes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from invisible import without_invisible

LONGEST_TEXT: Final = 300


@dataclass(frozen=True, slots=True)
class NotificationItem:
    """One of several things that a notice tells. The names of `facts` are ours; all texts may be by anybody."""

    title: str
    facts: Mapping[str, str] = field(default_factory=dict)
    link: str = ""


@dataclass(frozen=True, slots=True)
class Notification:
    """`id` tells it from every other, also to its receiver. `heading` and the names of `facts` are words of ours; what
    the facts say may be by anybody. Nothing can be done with the `link` but to look, after signing in.

    `kind` and `data` are the same for programs: what happened, and its values as they are.
    """

    id: str
    heading: str
    facts: Mapping[str, str] = field(default_factory=dict)
    link: str = ""
    items: Sequence[NotificationItem] = ()
    kind: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)


def plain(text: str) -> str:
    """A text of somebody else as one short line without characters that nobody would see."""
    line = " ".join(without_invisible(text.replace("\n", " "), " ").split())
    return line if len(line) <= LONGEST_TEXT else f"{line[:LONGEST_TEXT]}…"
