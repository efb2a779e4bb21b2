"""Reads template deployments to related resource groups and to the subscriptions of these groups."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping
from functools import partial
from typing import Any, Final

from clients.azure.ids import ResourceId
from incidents import event_kinds
from incidents.events import Certainty, Event, Relation, SubjectLink, correlation_key, mapping, moment_of, short
from incidents.inquiry import Inquiry
from tools.azure.resource.deployments import deployments_at
from tools.azure.resource.reasons import reasons_in
from tools.azure.shared.answers import at

_MOST: Final = 100
_MOST_GROUPS: Final = 6
_NEAR: Final = SubjectLink(Certainty.POSSIBLE, 0.5, Relation.GROUP, "in its group; deployed resources are unknown")
_NO_ROOM: Final = ("quota", "capacity", "skunotavailable", "limit")

Read = Callable[[], Awaitable[list[Event]]]


def deployments(inquiry: Inquiry) -> Mapping[str, Read]:
    """Return one query for each resource group, and one for each subscription."""
    places = inquiry.around.groups[:_MOST_GROUPS]
    places += [f"/subscriptions/{one}" for one in inquiry.around.subject.subscriptions]
    return {ResourceId.of(place).name: partial(_of_place, inquiry, ResourceId.of(place)) for place in places}


async def _of_place(inquiry: Inquiry, place: ResourceId) -> list[Event]:
    page = await deployments_at(inquiry.azure, place, None, _MOST)
    return [event for record in page.items if (event := _event(inquiry, place, record))]


def _event(inquiry: Inquiry, place: ResourceId, record: Mapping[str, Any]) -> Event | None:
    moment = moment_of(at(record, "properties.timestamp"))
    if moment is None or not inquiry.asked.has(moment):
        return None
    name, has_failed = str(record.get("name") or ""), at(record, "properties.provisioningState") == "Failed"
    reason = next(iter(reasons_in(at(record, "properties.error"))), None) if has_failed else None
    code = f"{reason.code} {reason.message}" if reason else ""
    made = list(_changed_resources(record))
    return Event(
        at=moment,
        source="template_deployments",
        kind=event_kinds.QUOTA if any(word in code.lower() for word in _NO_ROOM) else event_kinds.TEMPLATE,
        what=short(f"template deployment {name}{' failed: ' + code if has_failed else ''}"),
        target=str(record.get("id") or place.text),
        has_failed=has_failed,
        keys=frozenset(correlation_key(at(record, "properties.correlationId"))),
        link=inquiry.around.closest(made) if made else _link(inquiry, place),
        see=short(f"show_azure_deployment name={name} {_where(place)}"),
    )


def _where(place: ResourceId) -> str:
    return f"resource_group={place.group}" if place.group else f"subscription={place.subscription}"


def _link(inquiry: Inquiry, place: ResourceId) -> SubjectLink | None:
    """Return how a deployment is related to the affected resource if the deployed resources are unknown."""
    return inquiry.around.link(place.text) if inquiry.around.subject.groups else _NEAR


def _changed_resources(record: Mapping[str, Any]) -> Iterator[str]:
    """Yield the resources that a deployment created or changed."""
    for name in ("outputResources", "validatedResources"):
        found = at(record, f"properties.{name}")
        yield from (str(mapping(one).get("id")) for one in found or () if mapping(one).get("id"))
