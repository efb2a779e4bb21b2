"""Ranks events by the likelihood that they caused the incident, and gives reasons for the ranks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from clients.azure.ids import is_guid
from incidents import event_kinds
from incidents.events import Certainty, Event, Relation, SubjectLink
from incidents.likeness import is_named_in
from incidents.trouble import Trouble

# One day before the incident, an event has about half of its full weight. The weight of old events never reaches zero.
_HOURS: Final = 6.0
_HOURS_WITHOUT_TROUBLE: Final = 24.0
_POWER: Final = 0.45
# The weight of events after the incident. Events after the incident can be causes only if the time of the incident is
# inexact.
_AFTER: Final = 0.12
_AFTER_INFERRED: Final = 0.3
_ANOTHER_TIME: Final = 0.75
_ABOUT: Final = timedelta(minutes=2)
_FAILED: Final = 0.6
_BY_AZURE: Final = 0.9
_NAMED_BY_A_SIGN: Final = 0.9
_NAMED: Final = 1.25
_ITSELF: Final = 1.6
_WEIGHTY: Final = 0.5
_FOLDED_BELOW: Final = 0.05
_SHORTEST_NAME: Final = 4


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """A change in the timeline, with all its reports. The most informative report comes first."""

    events: tuple[Event, ...]
    link: SubjectLink
    score: float
    after: bool = False

    @property
    def lead(self) -> Event:
        return self.events[0]

    @property
    def is_folded(self) -> bool:
        return self.lead.kind.is_noise or self.score < _FOLDED_BELOW


@dataclass(frozen=True, slots=True)
class IncidentRanking:
    """Scores events. `clue` is the text of all signs. Resources whose names occur in `clue` count as close to the
    subject.

    `own` contains the names of the subject, which are ignored, because they always occur in `clue`.
    """

    trouble: Trouble
    until: datetime
    clue: str = ""
    own: frozenset[str] = frozenset()

    def entry(self, events: Sequence[tuple[Event, SubjectLink]]) -> TimelineEntry:
        """Merge all reports of a change into one entry. The entry gets the closest certain link or, if no link is
        certain, the link of the most informative report.
        """
        knows = any(
            event.settings or (event.kind is event_kinds.TEMPLATE and not event.is_plain) for event, _ in events
        )
        scored = sorted(events, key=lambda one: (not (knows and one[0].is_plain), self._score(*one)), reverse=True)
        lead, link = scored[0]
        closest = max((link for _, link in scored), key=lambda one: (one.certainty, one.closeness))
        best = closest if closest.certainty is Certainty.CERTAIN else link
        score = max(self._score(lead, link), lead.kind.weight * self._time(lead) * best.closeness * self._outcome(lead))
        return TimelineEntry(tuple(event for event, _ in scored), best, score, self.is_after(lead.at))

    def is_after(self, at: datetime) -> bool:
        return self.trouble.at is not None and at > self.trouble.at + _ABOUT

    def _score(self, event: Event, link: SubjectLink) -> float:
        likelihood = event.kind.weight * self._closeness(event, link) * self._time(event) * self._outcome(event)
        return likelihood * self._evidence(event, link)

    def _evidence(self, event: Event, link: SubjectLink) -> float:
        """Return a higher factor if a likely cause affected the subject itself, or if the signs name the resource."""
        is_weighty = event.kind.weight >= _WEIGHTY and not self.is_after(event.at)
        if link.relation is Relation.ITSELF and is_weighty:
            return _ITSELF
        return _NAMED if self.is_named(event) else 1.0

    def _closeness(self, event: Event, link: SubjectLink) -> float:
        return max(link.closeness, _NAMED_BY_A_SIGN) if self.is_named(event) else link.closeness

    def is_named(self, event: Event) -> bool:
        """Check whether the text of the signs contains the name of the changed resource. The names of the subject do
        not count.
        """
        names = [name for name in _names(event.target) if name.lower() not in self.own]
        return bool(self.clue) and any(is_named_in(name, self.clue) for name in names)

    def _time(self, event: Event) -> float:
        trouble = self.trouble
        if trouble.at is None:
            return _fading(self.until - event.at, _HOURS_WITHOUT_TROUBLE)
        after = _AFTER if trouble.is_told else _AFTER_INFERRED
        own = after if self.is_after(event.at) else _fading(trouble.at - event.at, _HOURS)
        others = [_fading(at - event.at, _HOURS) for at in trouble.also if event.at <= at]
        if trouble.is_weak:
            others.append(_fading(self.until - event.at, _HOURS_WITHOUT_TROUBLE))
        return max(own, *(_ANOTHER_TIME * other for other in others), 0.0)

    def _outcome(self, event: Event) -> float:
        is_harmless = event.has_failed and event.kind not in {event_kinds.QUOTA, event_kinds.POLICY}
        return (_FAILED if is_harmless else 1.0) * (_BY_AZURE if event.is_by_azure else 1.0)


def _fading(ago: timedelta, hours: float) -> float:
    return float((1 + max(ago.total_seconds(), 0.0) / 3600 / hours) ** -_POWER)


def _names(target: str) -> list[str]:
    """Return the resource names in a resource id, without the subscription and group."""
    names = target.rpartition("/providers/")[2].split("/")[2::2] + target.split("/")[8:9]
    return [name for name in names if len(name) >= _SHORTEST_NAME and not is_guid(name)]
