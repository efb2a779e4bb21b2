"""Queries all event sources in parallel, with a time limit. Sources that fail or time out are listed in the answer."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final

from clients.answers import Json
from clients.side_by_side import SourceReading, side_by_side
from incidents import event_sources
from incidents.event_sources import EventSource
from incidents.events import Event
from incidents.inquiry import Inquiry
from incidents.likeness import likeness
from incidents.patience import Patience
from refusal import Refusal
from tools.incidents.allowed_sources import Permitted
from tools.incidents.sources import activity, apps, changes, deployments, expiry, health, vaults
from tools.incidents.sources.announced import announced

if TYPE_CHECKING:
    from clients.azure_devops.client import AzureDevOps

# The share of the remaining time that a single query may take. A query that takes longer is stopped, and is repeated
# once after the other queries have finished.
_SHARE_EACH: Final = 1 / 2
_MOST_PROJECTS: Final = 25
_MOST_PLACES: Final = 5

Read = Callable[[], Awaitable[list[Event]]]
# A source, what to read in this source (for example a project), and the function that reads it.
_Question = tuple[EventSource, str, Read]


@dataclass(slots=True)
class Gathered:
    """The events of all sources. `counts` contains the number of events per source. `failed` contains the sources that
    could not be read, and the reasons.
    """

    events: list[Event] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    failed: list[Json] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    def fail(self, source: EventSource, places: list[str], why: str) -> None:
        more = len(places) - _MOST_PLACES
        of = ", ".join(places[:_MOST_PLACES]) + (f" and {more} more" if more > 0 else "")
        self.failed.append({"source": source.name, "why": why, "of": of})


async def gathered(permitted: Permitted, inquiry: Inquiry) -> Gathered:
    """Read the events of all sources that may be queried."""
    found = Gathered()
    questions = _named(await _all_questions(permitted, inquiry, found))

    async def ask(question: _Question) -> None:
        source, _, read = question
        told = await read()
        found.events += told
        found.counts[source.name] += len(told)

    left = inquiry.patience.left
    reading = await side_by_side(questions, ask, seconds=left, seconds_each=left * _SHARE_EACH)
    _note_failures(found, questions, reading, inquiry.patience)
    return found


def _named(by_source: Mapping[EventSource, Mapping[str, Read]]) -> Mapping[str, _Question]:
    return {
        f"{source.name} {place}": (source, place, read)
        for source, reads in by_source.items()
        for place, read in reads.items()
    }


def _note_failures(
    found: Gathered, questions: Mapping[str, _Question], reading: SourceReading, patience: Patience
) -> None:
    failed: dict[tuple[EventSource, str], list[str]] = defaultdict(list)
    for name in reading.names:
        if name not in reading.read:
            source, place, _ = questions[name]
            why = reading.reason(name) if name in reading.failed else patience.why
            failed[source, why].append(place)
    for (source, why), places in failed.items():
        found.fail(source, places, why)


async def _all_questions(
    permitted: Permitted, inquiry: Inquiry, found: Gathered
) -> Mapping[EventSource, Mapping[str, Read]]:
    questions = {source: _of_azure(source)(inquiry) for source in permitted.open if source in event_sources.OF_AZURE}
    devops = [source for source in permitted.open if source in event_sources.OF_DEVOPS]
    asked = await asyncio.gather(*(_of_devops(permitted, inquiry, source, found) for source in devops))
    questions |= {source: dict(reads) for source, reads in zip(devops, asked, strict=True)}
    if event_sources.UPDATES in permitted.open:
        questions[event_sources.UPDATES] = await _of_updates(permitted, inquiry, found)
    return questions


def _of_azure(source: EventSource) -> Callable[[Inquiry], Mapping[str, Read]]:
    reads: Mapping[EventSource, Callable[[Inquiry], Mapping[str, Read]]] = {
        event_sources.CHANGES: lambda inquiry: {"Resource Graph": partial(changes.changes, inquiry)},
        event_sources.DEPLOYMENTS: deployments.deployments,
        event_sources.ACTIVITY: activity.activity_log,
        event_sources.HEALTH: health.resource_health,
        event_sources.SERVICE_HEALTH: health.service_health,
        event_sources.ALERTS: health.fired_alerts,
        event_sources.APPS: apps.app_deployments,
        event_sources.VAULTS: vaults.key_vaults,
        event_sources.DATES: expiry.dates_of_resources,
        event_sources.RETIREMENTS: expiry.retirements,
    }
    return reads[source]


async def _of_updates(permitted: Permitted, inquiry: Inquiry, found: Gathered) -> Mapping[str, Read]:
    try:
        library = await permitted.updates()
    except Refusal as refusal:
        found.fail(event_sources.UPDATES, [], str(refusal))
        return {}
    return announced(library, inquiry.asked, inquiry.around)


async def _of_devops(
    permitted: Permitted, inquiry: Inquiry, source: EventSource, found: Gathered
) -> Iterator[tuple[str, Read]]:
    """Return one query per project. Projects whose names are most similar to the resource's name come first."""
    from tools.incidents.sources import merged, pipelines  # noqa: PLC0415 - not everybody has Azure DevOps

    read = {
        event_sources.BUILDS: pipelines.built,
        event_sources.PIPELINES: pipelines.pipelines_changed,
        event_sources.RELEASES: pipelines.released,
        event_sources.RELEASE_DEFINITIONS: pipelines.release_definitions_changed,
        event_sources.VARIABLES: pipelines.variables_changed,
        event_sources.PULL_REQUESTS: merged.merged,
    }[source]
    try:
        devops = await permitted.devops(source)
        projects = await _projects(devops, inquiry)
    except Refusal as refusal:
        found.fail(source, [], str(refusal))
        return iter(())
    if len(projects) > _MOST_PROJECTS:
        found.left_out.append(f"{source.name} in {len(projects) - _MOST_PROJECTS} more projects")
    return ((project, read(devops, inquiry.asked, project)) for project in projects[:_MOST_PROJECTS])


async def _projects(devops: AzureDevOps, inquiry: Inquiry) -> list[str]:
    from tools.azure_devops.shared.scopes import EVERY, project_names  # noqa: PLC0415 - likewise

    try:
        async with asyncio.timeout(inquiry.patience.share):
            names = await project_names(devops, EVERY)
    except TimeoutError:
        raise Refusal("The projects of Azure DevOps were not listed in time.") from None
    own = inquiry.around.subject.name.rpartition("/")[2]
    return sorted(names, key=lambda name: -likeness(own, name))
