"""When it broke: as the caller says, or by the signs of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from incidents.events import Event, SubjectLink
from incidents.likeness import SAME, is_named_in, likeness
from incidents.neighbourhood import ITSELF, Neighbourhood
from incidents.question import IncidentQuestion

_CLOSE: Final = 0.55
_MOST_OTHERS: Final = 5
_ITSELF: Final = 0.95
_WARNING: Final = 3


@dataclass(frozen=True, slots=True)
class Trouble:
    """Where nobody knows when it broke, `at` is None. What signs tell comes later than the trouble itself.

    `also` is when else it may have begun, as other signs have it.
    """

    at: datetime | None
    told_by: str
    is_told: bool = False
    # What only warns tells little of when it broke.
    is_weak: bool = False
    also: tuple[datetime, ...] = ()


@dataclass(frozen=True, slots=True)
class Sign:
    event: Event
    link: SubjectLink

    @property
    def is_over(self) -> bool:
        return self.event.until is not None


def signs_of(around: Neighbourhood, events: Iterable[Event]) -> list[Sign]:
    """What looks like trouble with what is meant, or with what is close to it, in the order of time."""
    linked = ((event, _link(around, event)) for event in events if _is_sign(event))
    found = [Sign(event, link) for event, link in linked if link and link.closeness >= _CLOSE]
    return sorted(found, key=lambda sign: sign.event.at)


def _is_sign(event: Event) -> bool:
    return event.kind.is_sign or event.source == "resource_health"


def _link(around: Neighbourhood, event: Event) -> SubjectLink | None:
    """What names it is a sign of it, wherever it fired: alerts are set on what watches, too."""
    link, watching = around.link(event.target), event.target.rpartition("/")[2]
    names = [one.id.name for one in around.subject.resources]
    is_named = any(is_named_in(name, event.what) or likeness(name, watching) >= SAME for name in names)
    return ITSELF if is_named and link else link


def trouble_of(asked: IncidentQuestion, signs: Sequence[Sign], own_events: Iterable[Event]) -> Trouble:
    """As told; else the first of the worst signs, of the closest, that are not over; else the newest that is."""
    if asked.broke_at:
        return Trouble(asked.broke_at, "as you said", is_told=True)
    own = [sign for sign in signs if sign.link.closeness >= _ITSELF]
    for some in (own, signs):
        if lasting := [sign for sign in some if not sign.is_over]:
            return _by(min(lasting, key=lambda sign: (sign.event.severity, sign.event.at)), own)
    for some in (own, signs):
        if some:
            return _by(some[-1], own)
    failed = [event for event in own_events if event.has_failed]
    if failed:
        last = max(failed, key=lambda event: event.at)
        return Trouble(last.at, f"inferred from the newest failure: {last.what}")
    return Trouble(None, "not known: no alert, no health event and no failure. Pass broke_at if you know it.")


def _by(sign: Sign, others: Sequence[Sign]) -> Trouble:
    name = sign.event.target.rpartition("/")[2]
    told_by = f"inferred from {sign.event.source}: {sign.event.what} on {name}"
    also = tuple(one.event.at for one in others if one is not sign)
    is_weak = sign.event.severity >= _WARNING
    return Trouble(sign.event.at, told_by, is_weak=is_weak, also=also[:_MOST_OTHERS])


def clue_of(signs: Iterable[Sign], own_events: Iterable[Event]) -> str:
    """All that signs and failures say, which may name what they come from."""
    return " ".join([*(sign.event.what for sign in signs), *(one.what for one in own_events if one.has_failed)])
