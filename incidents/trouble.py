"""Determines when the incident started. The time comes from the caller, or is inferred from signs such as alerts."""

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
    """The start of the incident.

    `at` is None if the start is unknown. `also` contains other possible start times, which come from other signs.

    The start is inexact, because signs such as alerts appear later than the incident itself.
    """

    at: datetime | None
    told_by: str
    is_told: bool = False
    # Whether the time comes from a warning, which is weak evidence for the start.
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
    """Return the signs of a problem with the subject or with a close neighbour, oldest first."""
    linked = ((event, _link(around, event)) for event in events if _is_sign(event))
    found = [Sign(event, link) for event, link in linked if link and link.closeness >= _CLOSE]
    return sorted(found, key=lambda sign: sign.event.at)


def _is_sign(event: Event) -> bool:
    return event.kind.is_sign or event.source == "resource_health"


def _link(around: Neighbourhood, event: Event) -> SubjectLink | None:
    """Return the link between an alert and the subject. An alert that contains the name of the subject counts as an
    alert of the subject, because the alert may be defined on a monitoring resource instead of the application.
    """
    link, watching = around.link(event.target), event.target.rpartition("/")[2]
    names = [one.id.name for one in around.subject.resources]
    is_named = any(is_named_in(name, event.what) or likeness(name, watching) >= SAME for name in names)
    return ITSELF if is_named and link else link


def trouble_of(asked: IncidentQuestion, signs: Sequence[Sign], own_events: Iterable[Event]) -> Trouble:
    """Choose the start of the incident, in this order: the caller's time, the leading sign, the newest failure."""
    if asked.broke_at:
        return Trouble(asked.broke_at, "as you said", is_told=True)
    own = [sign for sign in signs if sign.link.closeness >= _ITSELF]
    if leading := _leading(own, signs):
        return _by(leading, own)
    failed = [event for event in own_events if event.has_failed]
    if failed:
        last = max(failed, key=lambda event: event.at)
        return Trouble(last.at, f"inferred from the newest failure: {last.what}")
    return Trouble(None, "unknown: no alerts, health events or failures. Pass broke_at if you know the time.")


def _leading(own: Sequence[Sign], signs: Sequence[Sign]) -> Sign | None:
    """Return the first of the most severe ongoing signs. If no sign is ongoing, return the newest past sign. In
    both cases, prefer signs of the resource itself.
    """
    for some in (own, signs):
        if lasting := [sign for sign in some if not sign.is_over]:
            return min(lasting, key=lambda sign: (sign.event.severity, sign.event.at))
    return next((some[-1] for some in (own, signs) if some), None)


def _by(sign: Sign, others: Sequence[Sign]) -> Trouble:
    name = sign.event.target.rpartition("/")[2]
    told_by = f"inferred from {sign.event.source}: {sign.event.what} on {name}"
    also = tuple(one.event.at for one in others if one is not sign)
    is_weak = sign.event.severity >= _WARNING
    return Trouble(sign.event.at, told_by, is_weak=is_weak, also=also[:_MOST_OTHERS])


def clue_of(signs: Iterable[Sign], own_events: Iterable[Event]) -> str:
    """Join the texts of signs and failures, because these texts may contain the cause."""
    return " ".join([*(sign.event.what for sign in signs), *(one.what for one in own_events if one.has_failed)])
