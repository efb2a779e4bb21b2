"""What happened, in one form for all who tell of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import IntEnum, StrEnum
from typing import Any, Final

from incidents.event_kinds import EventKind

_LONGEST: Final = 200
_COMMIT: Final = re.compile(r"\b(?=\d*[a-f])[0-9a-f]{7,40}\b")
_AS_SHORT_AS: Final = 7


class Certainty(IntEnum):
    """How sure it is that something is about what was asked for."""

    POSSIBLE = 1
    LIKELY = 2
    CERTAIN = 3


class Relation(StrEnum):
    """What something is to the resource that shows the symptom."""

    ITSELF = "itself"
    SLOT = "its slot"
    USED = "what it uses"
    USER = "what uses it"
    PEER = "what uses the same"
    NAME = "its name"
    PARENT = "its parent"
    GROUP = "its group"
    SUBSCRIPTION = "its subscription"
    SERVICE = "its service"
    REGION = "its region"
    CODE = "its code"


@dataclass(frozen=True, slots=True)
class SubjectLink:
    """How something belongs to what was asked for; `closeness` says from 0 to 1 how much it matters to it."""

    certainty: Certainty
    closeness: float
    relation: Relation
    why: str


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting, before and after, as they are told."""

    path: str
    before: Any = None
    after: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One thing that happened, as one source tells of it.

    What shares a key with another is the same, told again; `link` is there where the target does not tell it.
    """

    at: datetime
    source: str
    kind: EventKind
    what: str
    target: str = ""
    who: str = ""
    has_failed: bool = False
    is_by_azure: bool = False
    # It only tells that something was written, and not what: whoever tells of the same knows better.
    is_plain: bool = False
    settings: tuple[Setting, ...] = ()
    keys: frozenset[str] = field(default=frozenset())
    link: SubjectLink | None = None
    # What tells for which application it is, where no id does: names of repositories and pipelines, and other words.
    names: tuple[str, ...] = ()
    words: str = ""
    repository: str = ""
    # Where more of it is told.
    see: str = ""
    # Of a sign: the smaller, the worse.
    severity: int = 0
    # Until when it lasted, of what lasts.
    until: datetime | None = None


def moment_of(text: Any) -> datetime | None:
    """A moment as services write it; None of what is none."""
    try:
        found = datetime.fromisoformat(str(text))
    except ValueError:
        return None
    return found.replace(tzinfo=found.tzinfo or UTC).astimezone(UTC)


def short(text: Any) -> str:
    """A text of others on one line, and cut where it is long."""
    line = " ".join(str(text or "").split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"


def mapping(value: Any) -> Mapping[str, Any]:
    """What should be an object, or an empty one."""
    return value if isinstance(value, Mapping) else {}


def commit_key(commit: str) -> str:
    """By which whatever was made of a commit is known, however short that is written."""
    return f"commit:{commit[:_AS_SHORT_AS].lower()}"


def number_keys(number: object) -> Iterator[str]:
    """By which a build is known of which only a number is told: its own, its id, or a commit."""
    text = str(number or "").strip().lower()
    if text:
        yield f"number:{text}"
    if text.isdecimal():
        yield f"build:{text}"
    yield from map(commit_key, _COMMIT.findall(text))


def correlation_key(correlation: object) -> Iterator[str]:
    """By which all is known that was done together; where nothing was told, nothing is."""
    text = str(correlation or "").lower()
    if text.strip("0-"):
        yield f"correlation:{text}"
