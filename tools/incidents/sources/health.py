"""Reads alerts that fired, and health events of the resource, of its dependencies and of Azure services."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, Final

from clients.azure import alerts, health
from clients.azure.ids import ResourceId
from clients.azure.spans import TimeSpan
from incidents import event_kinds
from incidents.event_kinds import EventKind
from incidents.events import Certainty, Event, Relation, SubjectLink, mapping, moment_of, short
from incidents.inquiry import Inquiry
from incidents.neighbourhood import ITSELF
from incidents.question import written
from incidents.resources import IncidentResource
from incidents.services import are_named, concerns_everybody, names_of
from refusal import Refusal
from tools.azure.shared.answers import at

ALERT_DAYS: Final = 30
_MOST_WATCHED: Final = 8
_MOST_STATES: Final = 50
_MOST_EVENTS: Final = 100
_MOST_ALERTS: Final = 250
_MOST_IMPACTS: Final = 5
_USUAL_SEVERITY: Final = 2
_ILL: Final = frozenset({"unavailable", "degraded"})
_UNWATCHED: Final = re.compile(
    r"microsoft\.(?:authorization|managedidentity|insights|alertsmanagement|portal)/|/slots$"
)
_NAMED_IN: Final = SubjectLink(Certainty.CERTAIN, 1.0, Relation.ITSELF, "Azure lists it as impacted")
_OWN_SERVICE: Final = SubjectLink(Certainty.LIKELY, 0.9, Relation.SERVICE, "its service, in its region")
_USED_SERVICE: Final = SubjectLink(Certainty.LIKELY, 0.75, Relation.SERVICE, "a service that it uses, in its region")
_EVERYBODYS: Final = SubjectLink(
    Certainty.POSSIBLE, 0.6, Relation.SERVICE, "a service on which all other services depend"
)
_SAME_REGION: Final = SubjectLink(Certainty.POSSIBLE, 0.3, Relation.REGION, "its region")
_KINDS: Final[Mapping[str, EventKind]] = {
    "serviceissue": event_kinds.PLATFORM,
    "plannedmaintenance": event_kinds.MAINTENANCE,
    "healthadvisory": event_kinds.ANNOUNCED,
    "securityadvisory": event_kinds.ANNOUNCED,
}

Read = Callable[[], Awaitable[list[Event]]]


def resource_health(inquiry: Inquiry) -> Mapping[str, Read]:
    """Return one query for the resource itself, and one for each of its closest dependencies."""
    around = inquiry.around
    known = [*around.subject.resources, *sorted(around.resources.values(), key=lambda one: -_closeness(inquiry, one))]
    watched = {one.id.key: one for one in known if not _UNWATCHED.search(one.is_of)}
    return {one.id.name: partial(_states, inquiry, one) for one in list(watched.values())[:_MOST_WATCHED]}


def _closeness(inquiry: Inquiry, one: IncidentResource) -> float:
    return inquiry.around.links[one.id.key].closeness


async def _states(inquiry: Inquiry, resource: IncidentResource) -> list[Event]:
    try:
        page = await health.states_lately(inquiry.azure, resource.id, _MOST_STATES)
    except Refusal:
        if inquiry.around.links[resource.id.key] is ITSELF:
            raise
        return []  # for many resource types, Azure does not report health
    return [event for record in page.items if (event := _state(inquiry, resource, mapping(record.get("properties"))))]


def _state(inquiry: Inquiry, resource: IncidentResource, details: Mapping[str, Any]) -> Event | None:
    moment = moment_of(details.get("occuredTime") or details.get("occurredTime"))
    state = str(details.get("availabilityState") or "")
    if moment is None or not inquiry.asked.has(moment) or state.lower() not in _ILL:
        return None
    is_own_doing = "customer" in str(details.get("context") or "").lower()
    return Event(
        at=moment,
        source="resource_health",
        kind=event_kinds.UNHEALTHY if is_own_doing else event_kinds.HEALTH,
        what=short(f"{state}: {details.get('summary') or details.get('title') or ''}"),
        target=resource.id.text,
        is_by_azure=not is_own_doing,
        see=short(details.get("context")),
    )


def service_health(inquiry: Inquiry) -> Mapping[str, Read]:
    """Return a query per subscription."""
    return {one: partial(_events, inquiry, one) for one in inquiry.around.subject.subscriptions}


async def _events(inquiry: Inquiry, subscription: str) -> list[Event]:
    page = await health.service_events(inquiry.azure, subscription, inquiry.asked.since, _MOST_EVENTS)
    found = [record for record in page.items if list(_moments(inquiry, mapping(record.get("properties"))))]
    named: dict[str, list[str]] = {}
    for record in found[:_MOST_IMPACTS]:
        tracking = str(record.get("name"))
        named[tracking] = await _impacted(inquiry, subscription, tracking)
    return [event for record in found for event in _event(inquiry, record, named.get(str(record.get("name")), []))]


async def _impacted(inquiry: Inquiry, subscription: str, tracking: str) -> list[str]:
    try:
        page = await health.impacted_resources(inquiry.azure, subscription, tracking, _MOST_EVENTS)
    except Refusal:
        return []  # for many events, Azure does not list affected resources
    return [str(at(record, "properties.targetResourceId")) for record in page.items]


def _moments(inquiry: Inquiry, details: Mapping[str, Any]) -> Iterator[tuple[datetime, EventKind]]:
    """Yield the time and kind of an event. The time is the start of the event or, for a retirement, the due date."""
    kind = _KINDS.get(str(details.get("eventType") or "").lower(), event_kinds.ANNOUNCED)
    begun, due = moment_of(details.get("impactStartTime")), moment_of(details.get("impactMitigationTime"))
    if str(details.get("eventSubType") or "").lower() == "retirement":
        begun, kind = (due, event_kinds.RETIRED) if due and inquiry.asked.has(due) else (begun, kind)
    if begun and begun <= inquiry.asked.until and _goes_on(inquiry, begun, due):
        yield begun, kind


def _goes_on(inquiry: Inquiry, begun: datetime, end: datetime | None) -> bool:
    """Check whether an event started in the searched period, or at most two days earlier and continued into it."""
    return inquiry.asked.has(begun) or (
        begun > inquiry.asked.since - timedelta(days=2) and (end is None or end >= inquiry.asked.since)
    )


def _event(inquiry: Inquiry, record: Mapping[str, Any], impacted: list[str]) -> Iterator[Event]:
    details = mapping(record.get("properties"))
    link = _link(inquiry, details, impacted)
    for moment, kind in _moments(inquiry, details) if link else ():
        yield Event(
            at=moment,
            source="service_health",
            kind=kind,
            what=short(
                f"{details.get('eventType')}: {details.get('title')} ({_services(details)}; {details.get('status')})"
            ),
            is_by_azure=True,
            link=link,
            see=short(f"tracking id {record.get('name')}"),
            until=moment_of(details.get("impactMitigationTime")),
        )


def _services(details: Mapping[str, Any]) -> str:
    return ", ".join(str(mapping(one).get("impactedService")) for one in details.get("impact") or ())


def _link(inquiry: Inquiry, details: Mapping[str, Any], impacted: list[str]) -> SubjectLink | None:
    around = inquiry.around
    own = {one.id.key for one in around.subject.resources}
    if any(ResourceId.of(one).key in own for one in impacted if one.startswith("/")):
        return _NAMED_IN
    if named := around.closest(one for one in impacted if one.startswith("/")):
        return replace(named, closeness=max(named.closeness, 0.6), why=f"affects a related resource: {named.why}")
    return _link_by_service(inquiry, details)


def _link_by_service(inquiry: Inquiry, details: Mapping[str, Any]) -> SubjectLink | None:
    around, services = inquiry.around, f"{_services(details)} {details.get('title')}"
    near = [one for one in around.resources.values() if around.links[one.id.key].closeness >= 0.6]
    own = [one for one in near if around.links[one.id.key].closeness >= 0.95]
    if not _is_in_region(details, near):
        return None
    if any(are_named(names_of(one.is_of, one.kind), services) for one in own):
        return _OWN_SERVICE
    if any(are_named(names_of(one.is_of, one.kind), services) for one in near):
        return _USED_SERVICE
    return _EVERYBODYS if concerns_everybody(services) else _SAME_REGION


def _is_in_region(details: Mapping[str, Any], near: list[IncidentResource]) -> bool:
    """Check whether an event is in a region of these resources. An event without a region is in all regions."""
    regions = {
        str(mapping(region).get("impactedRegion")).replace(" ", "").lower()
        for impact in details.get("impact") or ()
        for region in mapping(impact).get("impactedRegions") or ()
    }
    own = {one.location.replace(" ", "").lower() for one in near}
    return not regions or "global" in regions or bool(regions & own)


def fired_alerts(inquiry: Inquiry) -> Mapping[str, Read]:
    """Return a query per subscription."""
    return {one: partial(_fired, inquiry, one) for one in inquiry.around.subject.subscriptions}


async def _fired(inquiry: Inquiry, subscription: str) -> list[Event]:
    since = max(inquiry.asked.since, datetime.now(UTC) - timedelta(days=ALERT_DAYS))
    span = TimeSpan(written(since), written(inquiry.asked.until))
    page = await alerts.fired(inquiry.azure, subscription, span, _MOST_ALERTS)
    return [event for record in page.items if (event := _alert(record))]


def _alert(record: Mapping[str, Any]) -> Event | None:
    details = mapping(at(record, "properties.essentials"))
    moment = moment_of(details.get("startDateTime"))
    if moment is None:
        return None
    is_over = str(details.get("monitorCondition")).lower() == "resolved"
    severity = str(details.get("severity") or "").removeprefix("Sev")
    rule = str(details.get("alertRule") or "").rpartition("/")[2] or record.get("name")
    return Event(
        at=moment,
        source="alerts",
        kind=event_kinds.ALERT,
        what=short(
            f"alert {rule} ({details.get('severity')}{', resolved' if is_over else ''})"
            f" {details.get('description') or ''}"
        ),
        target=str(details.get("targetResource") or ""),
        severity=int(severity) if severity.isdecimal() else _USUAL_SEVERITY,
        is_by_azure=True,
        until=moment_of(details.get("monitorConditionResolvedDateTime") or details.get("lastModifiedDateTime"))
        if is_over
        else None,
    )
