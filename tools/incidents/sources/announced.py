"""Reads what Azure has announced about the services that the resources in an incident use, including retirements."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from datetime import UTC, date, datetime
from functools import partial
from typing import Final

from incidents import event_kinds
from incidents.events import Certainty, Event, Relation, SubjectLink, moment_of, short
from incidents.neighbourhood import Neighbourhood
from incidents.question import IncidentQuestion
from incidents.services import are_named, names_of
from updates.library import UpdatesLibrary
from updates.searching.search import FoundUpdate, SearchFilters, UpdateSearch

_MOST: Final = 100
_RETIREMENT: Final = "Retirement"
_OWN: Final = SubjectLink(Certainty.LIKELY, 0.8, Relation.SERVICE, "its service")
_USED: Final = SubjectLink(Certainty.POSSIBLE, 0.55, Relation.SERVICE, "a related service")
_LEAST_CLOSENESS: Final = 0.6

Read = Callable[[], Awaitable[list[Event]]]


def announced(library: UpdatesLibrary, asked: IncidentQuestion, around: Neighbourhood) -> Mapping[str, Read]:
    return {"the updates": partial(_announced, library, asked, around)}


async def _announced(library: UpdatesLibrary, asked: IncidentQuestion, around: Neighbourhood) -> list[Event]:
    index = await library.index()
    lately = SearchFilters(
        date_from=f"{asked.since:%Y-%m-%d}", date_to=f"{asked.until:%Y-%m-%d}", date_field="modified"
    )
    retired = SearchFilters(date_from=f"{asked.since:%Y-%m}", date_to=f"{asked.until:%Y-%m}", date_field="availability")
    edited, due = (index.search(UpdateSearch(filters=one, limit=_MOST)) for one in (lately, retired))
    services = _services(around)
    return [*_events(asked, services, edited.results), *_retirements(asked, services, due.results)]


def _services(around: Neighbourhood) -> list[tuple[tuple[str, ...], SubjectLink]]:
    """Return the service names of related resources, closest first."""
    found: dict[tuple[str, ...], SubjectLink] = {}
    for one in around.resources.values():
        closeness = around.links[one.id.key].closeness
        if closeness >= _LEAST_CLOSENESS and (names := names_of(one.is_of, one.kind)):
            link = _OWN if closeness >= _OWN.closeness + 0.1 else _USED
            found[names] = max(found.get(names, _USED), link, key=lambda one: one.closeness)
    return sorted(found.items(), key=lambda entry: -entry[1].closeness)


def _link(services: Iterable[tuple[tuple[str, ...], SubjectLink]], update: FoundUpdate) -> SubjectLink | None:
    text = ", ".join(update.products)
    return next((link for names, link in services if are_named(names, text)), None)


def _events(
    asked: IncidentQuestion, services: list[tuple[tuple[str, ...], SubjectLink]], updates: Iterable[FoundUpdate]
) -> Iterator[Event]:
    for update in updates:
        moment, link = moment_of(update.modified), _link(services, update)
        if moment and link and asked.has(moment):
            did = "announced" if moment_of(update.created) == moment else "edited"
            yield _event(update, moment, link, f"update {did}: {update.title}")


def _retirements(
    asked: IncidentQuestion, services: list[tuple[tuple[str, ...], SubjectLink]], updates: Iterable[FoundUpdate]
) -> Iterator[Event]:
    """Yield retirements. Only the month of a retirement is known, so the event is dated to the first day of that month.
    If the searched period starts later, the event is dated to the start of the period.
    """
    for update in updates:
        link = _link(services, update)
        month = next((one.date for one in update.availabilities if one.ring == _RETIREMENT and one.date), "")
        if link and len(month) == len("2026-01"):
            begun = datetime.combine(date.fromisoformat(f"{month}-01"), datetime.min.time(), UTC)
            yield _event(update, max(begun, asked.since), link, f"retires in {month}: {update.title}", is_due=True)


def _event(update: FoundUpdate, moment: datetime, link: SubjectLink, what: str, *, is_due: bool = False) -> Event:
    return Event(
        at=moment,
        source="azure_updates",
        kind=event_kinds.RETIRED if is_due else event_kinds.ANNOUNCED,
        what=short(what),
        is_by_azure=True,
        link=link,
        keys=frozenset({f"update:{update.id}"}),
        see=update.url,
    )
