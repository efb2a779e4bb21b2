"""An incident as its file tells it: what was there, what happened, when it broke, and what an engineer asks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

import yaml

Json = dict[str, Any]

_AGO: Final = re.compile(r"([+-])(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?")
_MOMENT: Final = re.compile(r"\^([+-][\ddhm]+)")


@dataclass(frozen=True)
class Event:
    """Something that happened: to which source it belongs, when, and what that source says of it."""

    source: str
    at: datetime
    says: Json
    is_cause: bool = False

    @property
    def words(self) -> str:
        """All that it says, as facts are looked up in it."""
        return " ".join(_texts(self.says))


@dataclass(frozen=True)
class Incident:
    """`cause` has ways to tell the cause: an entry tells it that has all facts of one of them.

    `fails` names sources, each with how it fails.
    """

    name: str
    why: str
    ask: Json
    broke: datetime
    events: Sequence[Event]
    cause: Sequence[Sequence[str]]
    who: str = ""
    estate: Sequence[Json] = ()
    repositories: Sequence[Json] = ()
    fails: Mapping[str, str] = field(default_factory=dict)

    def of(self, *sources: str) -> list[Event]:
        """What happened, as these sources tell it, in its order."""
        return sorted((one for one in self.events if one.source in sources), key=lambda one: one.at)

    def tells_cause(self, text: str) -> bool:
        told = text.lower()
        return any(all(fact.lower() in told for fact in facts) for facts in self.cause)


def incidents(file: Path, now: datetime) -> list[Incident]:
    """All of a file, as if it were read at that time."""
    return [_incident(one, now) for one in yaml.safe_load(file.read_text(encoding="utf-8"))]


def _incident(written: Json, now: datetime) -> Incident:
    events = [_event(one, now) for one in written["events"]]
    own = {name: value for name, value in written.items() if name not in {"events", "broke"}}
    broke = later(now, written["broke"])
    ask = {"broke_at": iso(broke)} if own["ask"].get("broke_at") else {}
    return Incident(**{**dated(own, now), "ask": {**dated(own["ask"], now), **ask}}, broke=broke, events=events)


def _event(written: Json, now: datetime) -> Event:
    """`{change: "@shop-web", at: -2h, ...}`: the first key is the source, and what it is about."""
    source, about = next(iter(written.items()))
    says = {name: value for name, value in written.items() if name not in {source, "at", "cause"}}
    return Event(source, later(now, written["at"]), dated({"about": about, **says}, now), written.get("cause", False))


def later(now: datetime, text: str) -> datetime:
    """`-1d2h5m` is a day, two hours and five minutes ago."""
    found = _AGO.fullmatch(text)
    if not found or not any(found.groups()[1:]):
        raise ValueError(f"{text!r} is no time such as -1d2h5m.")
    days, hours, minutes = (int(part or 0) for part in found.groups()[1:])
    passed = timedelta(days=days, hours=hours, minutes=minutes)
    return now + passed if found[1] == "+" else now - passed


def iso(at: datetime) -> str:
    return f"{at:%Y-%m-%dT%H:%M:%S}Z"


def dated(value: Any, now: datetime) -> Any:
    """The same with moments such as `^-2h` written out."""
    if isinstance(value, dict):
        return {name: dated(one, now) for name, one in value.items()}
    if isinstance(value, list):
        return [dated(one, now) for one in value]
    if isinstance(value, str) and (found := _MOMENT.fullmatch(value)):
        return iso(later(now, found[1]))
    return value


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for name, one in value.items():
            yield str(name)
            yield from _texts(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _texts(one)
    else:
        yield str(value)
