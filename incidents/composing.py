"""Builds timeline entries from the events of all sources: joins related events, links these events to the subject, and
ranks the entries.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from incidents.event_sources import OF_DEVOPS
from incidents.events import Event, SubjectLink
from incidents.joining import joined
from incidents.linking import Linked
from incidents.neighbourhood import Neighbourhood
from incidents.ranking import IncidentRanking, TimelineEntry

_CLOSE: Final = 0.9
_FOR_OTHERS: Final = 0.5
_AGAIN: Final = 0.7
_TIMES: Final = 5
_OF_DEVOPS: Final = frozenset(source.name for source in OF_DEVOPS)

_Pair = tuple[Event, SubjectLink]


def composed(near: Neighbourhood, events: Iterable[Event], ranking: IncidentRanking) -> list[TimelineEntry]:
    """Return timeline entries, most likely cause first. Events without a relation to the subject are omitted."""
    groups = joined(event for event in events if not event.kind.is_sign)
    linked = Linked.of(near.subject)
    for group in groups:
        _learn(near, linked, group)
    entries = [ranking.entry(pairs) for group in groups if (pairs := _pairs(near, linked, group))]
    return _varied(sorted(entries, key=_order))


def _order(entry: TimelineEntry) -> tuple[float, datetime]:
    return -entry.score, entry.lead.at


def _varied(ranked: Iterable[TimelineEntry]) -> list[TimelineEntry]:
    """Lower the scores of similar events on the same resource, so that these events do not displace all others."""
    met: Counter[tuple[str, str]] = Counter()
    found = []
    for entry in ranked:
        about = entry.lead.kind.name, entry.lead.target.lower() or " ".join(entry.lead.names)
        found.append(replace(entry, score=entry.score * _AGAIN ** min(met[about], _TIMES)))
        met[about] += 1
    return sorted(found, key=_order)


def of_itself(near: Neighbourhood, events: Iterable[Event]) -> list[Event]:
    """Return the events that happened on the subject itself."""
    return [event for event in events if (link := _own_link(near, event)) and link.closeness >= _CLOSE]


def _own_link(near: Neighbourhood, event: Event) -> SubjectLink | None:
    """Return the link from an Azure event to the subject of the incident, or None if they are unrelated."""
    return event.link or (near.link(event.target) if event.target else None)


def _learn(near: Neighbourhood, linked: Linked, group: Sequence[Event]) -> None:
    """If the subject was deployed from repositories, record that these repositories belong to it."""
    links = [_own_link(near, event) for event in group]
    if any(link and link.closeness >= _CLOSE for link in links):
        for event in group:
            linked.learn(event.repository, "the source of a deployment")


def _pairs(near: Neighbourhood, linked: Linked, group: Sequence[Event]) -> list[_Pair]:
    """Pair each event with its link to the subject. An event without a link gets the best link of its group."""
    links = [linked.link(event) if event.source in _OF_DEVOPS else _own_link(near, event) for event in group]
    best = max(filter(None, links), key=lambda link: link.closeness, default=None)
    if best and linked.is_for_others(group):
        best = replace(best, closeness=best.closeness * _FOR_OTHERS, why=f"{best.why}; deployed to another environment")
        links = [None] * len(group)
    return [(event, link or best) for event, link in zip(group, links, strict=True)] if best else []
