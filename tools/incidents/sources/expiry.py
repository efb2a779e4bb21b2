"""Finds expirations and retirements, with dates from the resources themselves or from Azure Advisor."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from functools import partial
from typing import Any, Final

from clients.azure.graph import ready_made, rows_of
from incidents import event_kinds
from incidents.events import Event, mapping, moment_of, short
from incidents.inquiry import Inquiry
from tools.azure.shared.answers import at

_EXPIRES: Final = re.compile(r"^(?:expir\w*|notafter|validto|enddate(?:time)?)$", re.IGNORECASE)
_RETIREMENTS: Final = (
    "where type =~ 'microsoft.advisor/recommendations'",
    "where isnotempty(tostring(properties.extendedProperties.retirementDate))",
    "project id, properties",
    "order by id asc",
)
_MOST: Final = 300
_DEEPEST: Final = 4
_LEAST_CLOSENESS: Final = 0.5

Read = Callable[[], Awaitable[list[Event]]]


def dates_of_resources(inquiry: Inquiry) -> Mapping[str, Read]:
    """Return the expiration dates in the properties of related resources. The resources were already read, so no query
    is needed.
    """
    return {"what was read": partial(_expired, inquiry)}


async def _expired(inquiry: Inquiry) -> list[Event]:
    around = inquiry.around
    near = [one for one in around.resources.values() if around.links[one.id.key].closeness >= _LEAST_CLOSENESS]
    return [
        Event(
            at=moment,
            source="resource_dates",
            kind=event_kinds.EXPIRED,
            what=short(f"{one.id.name} expired ({path})"),
            target=one.id.text,
        )
        for one in near
        for path, value in _dates(one.properties, _DEEPEST)
        if (moment := moment_of(value)) and inquiry.asked.has(moment)
    ]


def _dates(value: Mapping[str, Any], depth: int, above: str = "") -> Iterator[tuple[str, str]]:
    for name, inner in value.items():
        path = f"{above}{name}"
        if isinstance(inner, Mapping) and depth:
            yield from _dates(inner, depth - 1, f"{path}.")
        elif isinstance(inner, str) and _EXPIRES.match(str(name)):
            yield path, inner


def retirements(inquiry: Inquiry) -> Mapping[str, Read]:
    """Return a Resource Graph query for the retirements that Advisor reports for related resources."""
    return {"Resource Graph": partial(_retired, inquiry)}


async def _retired(inquiry: Inquiry) -> list[Event]:
    question = ready_made(inquiry.around.subject.subscriptions, "advisorresources", *_RETIREMENTS)
    rows = await rows_of(inquiry.azure.send, question, _MOST)
    return [event for row in rows.items if (event := _retirement(inquiry, mapping(row.get("properties"))))]


def _retirement(inquiry: Inquiry, recommendation: Mapping[str, Any]) -> Event | None:
    more = mapping(recommendation.get("extendedProperties"))
    moment, target = moment_of(more.get("retirementDate")), str(at(recommendation, "resourceMetadata.resourceId") or "")
    if moment is None or not inquiry.asked.has(moment) or not target:
        return None
    problem = at(recommendation, "shortDescription.problem")
    return Event(
        at=moment,
        source="retirements",
        kind=event_kinds.RETIRED,
        what=short(f"retired: {more.get('retirementFeatureName') or problem}"),
        target=target,
        is_by_azure=True,
    )
