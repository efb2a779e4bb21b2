"""Reads the activity logs of related resource groups, and role changes in the subscriptions of these groups."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

from clients.azure import activity
from clients.azure.activity import Sought
from clients.azure.ids import ResourceId
from clients.azure.spans import TimeSpan
from incidents import event_kinds
from incidents.change_kinds import kind_of, kind_of_operation, kind_of_type
from incidents.event_kinds import EventKind
from incidents.events import Certainty, Event, Relation, SubjectLink, correlation_key, mapping, moment_of, short
from incidents.inquiry import Inquiry
from incidents.question import written
from tools.azure.resource.reasons import reasons_in
from tools.azure.shared.answers import at
from tools.incidents.sources.logged_details import details_of

DAYS: Final = 90
_MOST: Final = 500
_MOST_GROUPS: Final = 6
# Changes to resources of these providers can break unrelated resources in the subscription.
_PROVIDERS: Final = ("Microsoft.Authorization", "Microsoft.Network", "Microsoft.Cdn", "Microsoft.AppConfiguration")
_FAILED: Final = frozenset({"failed", "failure"})
# The status of log entries for started operations. These entries are skipped, because the result of an operation has
# its own entry.
_BEGUN: Final = frozenset({"started", "accepted", "start", "accept"})
# Log categories that are skipped, because other event sources describe these events better.
_ELSEWHERE: Final = frozenset({"alert", "resourcehealth", "servicehealth", "recommendation"})
_NO_ROOM: Final = ("quota", "capacity", "skunotavailable", "limitexceeded", "overconstrained")
_FORBIDDEN: Final = ("policy", "scopelocked")
_VERBS: Final = {"write": "Update", "delete": "Delete"}
_HIS_OWN: Final = SubjectLink(Certainty.CERTAIN, 1.0, Relation.ITSELF, "its own identity")
# The factor by which the closeness of a role assignment is multiplied if the assignment is for an unrelated
# identity.
_OF_ANOTHER: Final = 0.4
_LONGEST: Final = 4000

Read = Callable[[], Awaitable[list[Event]]]


def activity_log(inquiry: Inquiry) -> Mapping[str, Read]:
    """Return a query for each resource group, and for each provider of shared services in each subscription."""
    span = TimeSpan(written(inquiry.asked.since), written(inquiry.asked.last))
    found: dict[str, Read] = {}
    for group in inquiry.around.groups[:_MOST_GROUPS]:
        place = ResourceId.of(group)
        sought = Sought(span=span, group=place.group, with_reasons=True)
        found[place.group] = partial(_of_subscription, inquiry, place.subscription, sought)
    for one in inquiry.around.subject.subscriptions:
        for provider in _PROVIDERS:
            sought = Sought(span=span, provider=provider, with_reasons=True)
            found[f"{provider} in {one}"] = partial(_of_subscription, inquiry, one, sought)
    return found


async def _of_subscription(inquiry: Inquiry, subscription: str, sought: Sought) -> list[Event]:
    page = await activity.events(inquiry.azure, subscription, sought, _MOST)
    ended = {_operation_of(one) for one in page.items if _status(one) not in _BEGUN}
    kept = [one for one in page.items if _status(one) not in _BEGUN or _operation_of(one) not in ended]
    details = await details_of(inquiry.azure, subscription, kept)
    pairs = zip(kept, details, strict=True)
    return [replace(event, settings=settings) for one, settings in pairs if (event := _event(inquiry, one))]


def _operation_of(record: Mapping[str, Any]) -> tuple[str, ...]:
    return str(record.get("correlationId")), _value(record, "operationName"), str(record.get("resourceId")).lower()


def _value(record: Mapping[str, Any], name: str) -> str:
    found = record.get(name)
    return str(found.get("value") if isinstance(found, Mapping) else found or "").lower()


def _status(record: Mapping[str, Any]) -> str:
    return _value(record, "status")


def _event(inquiry: Inquiry, record: Mapping[str, Any]) -> Event | None:
    moment, category = moment_of(record.get("eventTimestamp")), _value(record, "category")
    target = str(record.get("resourceId") or "")
    if moment is None or category in _ELSEWHERE or not target.startswith("/"):
        return None
    has_failed = _status(record) in _FAILED
    reason = _reason(record) if has_failed else ""
    return Event(
        at=moment,
        source="activity_log",
        kind=_kind(record, category, reason),
        what=short(f"{_words(record)}{' failed: ' + reason if has_failed else ''}"),
        target=target,
        who=short(record.get("caller")),
        has_failed=has_failed,
        is_by_azure=category in {"autoscale", "policy"},
        is_plain=_value(record, "operationName").endswith("/write") and not has_failed,
        keys=frozenset(correlation_key(record.get("correlationId"))),
        link=_link(inquiry, record, target),
    )


def _kind(record: Mapping[str, Any], category: str, reason: str) -> EventKind:
    if category == "autoscale":
        return event_kinds.QUOTA if reason else event_kinds.AUTOSCALED
    if any(word in reason.lower() for word in _NO_ROOM):
        return event_kinds.QUOTA
    if any(word in reason.lower() for word in _FORBIDDEN):
        return event_kinds.POLICY
    operation = _value(record, "operationName")
    of_type, _, verb = operation.rpartition("/")
    if found := kind_of_operation(operation):
        return found
    if verb == "action":
        return kind_of_type(of_type) or event_kinds.OTHER
    return kind_of(of_type, _VERBS.get(verb, "Update"))


def _words(record: Mapping[str, Any]) -> str:
    """Return the name of an operation. If Azure has a different display name, return the display name, followed by the
    name in parentheses.
    """
    name = record.get("operationName")
    words = str(mapping(name).get("localizedValue") or "")
    operation = str(mapping(name).get("value") or name or "")
    return operation if words in {"", operation} else f"{words} ({operation})"


def _reason(record: Mapping[str, Any]) -> str:
    found = reasons_in(at(record, "properties.statusMessage"))
    if found:
        return f"{found[0].code}: {found[0].message}"
    return str(at(record, "subStatus.value") or at(record, "properties.statusCode") or "no reason logged")


def _link(inquiry: Inquiry, record: Mapping[str, Any], target: str) -> SubjectLink | None:
    """Return how a swap or a role change is linked to the subject."""
    if "swap" in _value(record, "operationName"):
        return inquiry.around.swapped(target)
    return _link_of_role(inquiry, record, target) if "roleassignments" in target.lower() else None


def _link_of_role(inquiry: Inquiry, record: Mapping[str, Any], target: str) -> SubjectLink | None:
    """For a role change, the principal of the role assignment matters more than the scope."""
    principals = inquiry.around.principals
    if not principals:
        return None
    text = json.dumps(record.get("properties"), default=str)[:_LONGEST].lower()
    if any(principal in text for principal in principals):
        return _HIS_OWN
    where = inquiry.around.link(target)
    if where is None or "principalid" not in text:
        return None
    return replace(where, certainty=Certainty.POSSIBLE, closeness=where.closeness * _OF_ANOTHER)
