"""Events, in one form for all sources."""

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
    """How certain it is that an event concerns the subject."""

    POSSIBLE = 1
    LIKELY = 2
    CERTAIN = 3


class Relation(StrEnum):
    """The relation to the resource that shows the symptom."""

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
    """How something relates to the subject; `closeness` from 0 to 1 is how much it matters."""

    certainty: Certainty
    closeness: float
    relation: Relation
    why: str


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting, before and after, as reported."""

    path: str
    before: Any = None
    after: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One event as reported by one source. Events that share a key are the same; `link` is set if the target does not
    determine it.
    """

    at: datetime
    source: str
    kind: EventKind
    what: str
    target: str = ""
    who: str = ""
    has_failed: bool = False
    is_by_azure: bool = False
    # It only says that something was written, not what: other reports of the same change know more.
    is_plain: bool = False
    settings: tuple[Setting, ...] = ()
    keys: frozenset[str] = field(default=frozenset())
    link: SubjectLink | None = None
    # What identifies the application if no id does: names of repositories and pipelines, and other words.
    names: tuple[str, ...] = ()
    words: str = ""
    repository: str = ""
    # Where to find more about it.
    see: str = ""
    # For signs: lower is worse.
    severity: int = 0
    # When it ended, if it has a duration.
    until: datetime | None = None


def moment_of(text: Any) -> datetime | None:
    """A time as services write it; None if it is invalid."""
    try:
        found = datetime.fromisoformat(str(text))
    except ValueError:
        return None
    return found.replace(tzinfo=found.tzinfo or UTC).astimezone(UTC)


def short(text: Any) -> str:
    """Untrusted text on one line, truncated."""
    line = " ".join(str(text or "").split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"


def mapping(value: Any) -> Mapping[str, Any]:
    """The value if it is an object, otherwise an empty one."""
    return value if isinstance(value, Mapping) else {}


def commit_key(commit: str) -> str:
    """The key for everything built from a commit, also if the hash is abbreviated."""
    return f"commit:{commit[:_AS_SHORT_AS].lower()}"


def number_keys(number: object) -> Iterator[str]:
    """The keys for a build of which only a number is known: build number, id or commit."""
    text = str(number or "").strip().lower()
    if text:
        yield f"number:{text}"
    if text.isdecimal():
        yield f"build:{text}"
    yield from map(commit_key, _COMMIT.findall(text))


def correlation_key(correlation: object) -> Iterator[str]:
    """The keys for everything done together; none if no correlation is known."""
    text = str(correlation or "").lower()
    if text.strip("0-"):
        yield f"correlation:{text}"
