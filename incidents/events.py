"""The common form of the events from all sources."""

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
    """The certainty that an event concerns the subject of the incident."""

    POSSIBLE = 1
    LIKELY = 2
    CERTAIN = 3


class Relation(StrEnum):
    """The relation of a resource to the resource with the symptom."""

    ITSELF = "itself"
    SLOT = "its slot"
    USED = "what it uses"
    USER = "what uses it"
    PEER = "what uses the same resources"
    NAME = "its name"
    PARENT = "its parent"
    GROUP = "its group"
    SUBSCRIPTION = "its subscription"
    SERVICE = "its service"
    REGION = "its region"
    CODE = "its code"


@dataclass(frozen=True, slots=True)
class SubjectLink:
    """A link from an event to the subject of the incident. `closeness` ranges from 0 to 1; closer
    events matter more.
    """

    certainty: Certainty
    closeness: float
    relation: Relation
    why: str


@dataclass(frozen=True, slots=True)
class Setting:
    """A changed setting, with its value before and after the change."""

    path: str
    before: Any = None
    after: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """An event that a source reported. Events with a common key report the same change.

    `link` is set only if the relation to the subject cannot be derived from the target.
    """

    at: datetime
    source: str
    kind: EventKind
    what: str
    target: str = ""
    who: str = ""
    has_failed: bool = False
    is_by_azure: bool = False
    # Whether the event says only that something was written; other reports of the same change contain the details.
    is_plain: bool = False
    settings: tuple[Setting, ...] = ()
    keys: frozenset[str] = field(default=frozenset())
    link: SubjectLink | None = None
    # Names and words that identify the application without a resource ID, for example the names of its repository and
    # pipeline.
    names: tuple[str, ...] = ()
    words: str = ""
    repository: str = ""
    # The tool call or URL that returns more details of the event.
    see: str = ""
    # The severity of a sign. Lower numbers are more severe.
    severity: int = 0
    # The end of an event that has a duration.
    until: datetime | None = None


def moment_of(text: Any) -> datetime | None:
    """Parse a timestamp in the formats of Azure services. Return None if the timestamp is invalid."""
    try:
        found = datetime.fromisoformat(str(text))
    except ValueError:
        return None
    return found.replace(tzinfo=found.tzinfo or UTC).astimezone(UTC)


def short(text: Any) -> str:
    """Put untrusted text on one line, and truncate it."""
    line = " ".join(str(text or "").split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"


def mapping(value: Any) -> Mapping[str, Any]:
    """Return the value if it is an object, otherwise an empty object."""
    return value if isinstance(value, Mapping) else {}


def commit_key(commit: str) -> str:
    """Return the join key that all events with this commit share. Full and abbreviated hashes have the same key."""
    return f"commit:{commit[:_AS_SHORT_AS].lower()}"


def number_keys(number: object) -> Iterator[str]:
    """Yield the join keys of a build, given any one of three values: its number, its ID or its commit."""
    text = str(number or "").strip().lower()
    if text:
        yield f"number:{text}"
    if text.isdecimal():
        yield f"build:{text}"
    yield from map(commit_key, _COMMIT.findall(text))


def correlation_key(correlation: object) -> Iterator[str]:
    """Yield the join key that all operations with this correlation ID share. If the ID is empty, yield nothing."""
    text = str(correlation or "").lower()
    if text.strip("0-"):
        yield f"correlation:{text}"
