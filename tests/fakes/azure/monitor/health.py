"""Resource Health: in which state resources are and were, and what goes on with the services that they use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from tests.fakes.azure.access import Access
from tests.fakes.azure.estate import Estate, subscription_of, type_of
from tests.fakes.azure.people import invented_id
from tests.fakes.azure.resources import shown
from tests.fakes.azure.routes import Asked, AzureError, Json, Route, paged

_PROVIDER: Final = "providers/Microsoft.ResourceHealth"
_STATES: Final = f"{{scope}}/{_PROVIDER}/availabilityStatuses"
_EVENTS: Final = f"/subscriptions/{{subscription}}/{_PROVIDER}/events"
_STATES_TYPE: Final = "Microsoft.ResourceHealth/availabilityStatuses"
_EVENTS_TYPE: Final = "Microsoft.ResourceHealth/events"
# Types whose health nobody watches.
_UNWATCHED: Final = frozenset({"microsoft.compute/disks", "microsoft.managedidentity/userassignedidentities"})


@dataclass
class Health:
    estate: Estate
    access: Access
    states: dict[str, list[Json]] = field(default_factory=dict)  # by the id of a resource in lower case
    events: list[tuple[str, Json]] = field(default_factory=list)  # each with the subscription that it is told to
    impacted: dict[tuple[str, str], list[str]] = field(default_factory=dict)  # by subscription and tracking id

    @property
    def routes(self) -> list[Route]:
        return [
            Route(f"GET {_EVENTS}/{{tracking}}/impactedResources", self._impacted, type=_EVENTS_TYPE),
            Route(f"GET {_EVENTS}/{{tracking}}", self._event, type=_EVENTS_TYPE),
            Route(f"GET {_EVENTS}", self._of_subscription, type=_EVENTS_TYPE),
            Route(f"GET {_STATES}/current", self._now, type=_STATES_TYPE),
            Route(f"GET {_STATES}", self._lately, type=_STATES_TYPE),
            Route(f"GET {{scope}}/{_PROVIDER}/events", self._of_resource, type=_EVENTS_TYPE),
        ]

    def set_state(
        self,
        resource: str,
        state: str,
        at: datetime,
        summary: str = "",
        *,
        reason: str = "Unplanned",
        context: str = "Platform Initiated",
        **properties: Any,
    ) -> Json:
        """From then on it is `Available`, `Unavailable`, `Degraded` or `Unknown`; what it was before is its history."""
        own = {} if state == "Available" else {"reasonType": reason, "context": context, "category": reason}
        told = {
            "availabilityState": state,
            "title": state,
            "summary": summary or _SUMMARIES[state],
            "reasonChronicity": "Transient" if state == "Available" else "Persistent",
            # The service spells it so.
            "occuredTime": shown(at),
            "reportedTime": shown(at + timedelta(minutes=3)),
            **own,
            **properties,
        }
        self.states.setdefault(resource.lower(), []).insert(0, told)
        self.states[resource.lower()].sort(key=lambda one: str(one["occuredTime"]), reverse=True)
        return told

    def add_event(
        self,
        subscription: str,
        tracking: str,
        kind: str,
        title: str,
        start: datetime,
        end: datetime | None = None,
        *,
        services: Sequence[str] = (),
        regions: Sequence[str] = ("West Europe",),
        summary: str = "",
        status: str = "",
        impacted: Sequence[str] = (),
        **properties: Any,
    ) -> Json:
        """`kind` is ServiceIssue, PlannedMaintenance, HealthAdvisory or SecurityAdvisory; `impacted` are resources."""
        place = f"/{_PROVIDER}/events/{tracking}"
        is_over = end is not None and end < datetime.now(UTC) and kind == "ServiceIssue"
        told = {
            "eventType": kind,
            "eventSource": "ServiceHealth",
            "status": status or ("Resolved" if is_over else "Active"),
            "title": title,
            "summary": summary or f"<p>{title}</p>",
            "header": title,
            "level": "Warning",
            "eventLevel": "Warning" if kind == "ServiceIssue" else "Informational",
            "impactStartTime": shown(start),
            "impactMitigationTime": shown(end) if end else None,
            "lastUpdateTime": shown(start),
            "impact": _impact(services, regions),
            **properties,
        }
        event: Json = {"id": place, "name": tracking, "type": f"/{_PROVIDER}/events"}
        event |= {"properties": {name: value for name, value in told.items() if value is not None}}
        self.events.append((subscription.lower(), event))
        self.impacted[subscription.lower(), tracking] = list(impacted)
        return event

    # Resources

    def _watched(self, asked: Asked) -> str:
        scope = asked.places["scope"]
        self.access.demand(asked, f"{_STATES_TYPE}/read", scope)
        if scope.lower() not in self.estate.resources:
            raise AzureError(404, "ResourceNotFound", f"The resource '{scope}' could not be found.")
        if type_of(scope).lower() in _UNWATCHED:
            message = f"The provided resource type '{type_of(scope)}' is not supported by Resource Health."
            raise AzureError(400, "UnsupportedResourceType", message)
        return scope

    def _told(self, scope: str) -> list[Json]:
        found = self.states.get(scope.lower())
        usual = {"availabilityState": "Available", "title": "Available", "summary": _SUMMARIES["Available"]}
        return found or [{**usual, "reasonChronicity": "Transient", "occuredTime": "2026-01-01T00:00:00Z"}]

    def _now(self, asked: Asked) -> Json:
        scope = self._watched(asked)
        told = dict(self._told(scope)[0])
        if "recommendedactions" not in asked.query.get("$expand", "").lower():
            told.pop("recommendedActions", None)
        return _status(scope, "current", told)

    def _lately(self, asked: Asked) -> Json:
        scope = self._watched(asked)
        names = ["current", *(invented_id("state", scope, str(at)) for at in range(1, 100))]
        return paged(
            asked, [_status(scope, name, one) for name, one in zip(names, self._told(scope), strict=False)], 50
        )

    def _of_resource(self, asked: Asked) -> Json:
        scope = self._watched(asked)
        own = subscription_of(scope).lower()
        found = [
            event
            for event in self._events_in(own)
            if scope.lower() in {one.lower() for one in self.impacted.get((own, str(event["name"])), [])}
        ]
        return paged(asked, found, 50)

    # Services

    def _events_in(self, subscription: str) -> list[Json]:
        mine = [event for told, event in self.events if told == subscription.lower()]
        return sorted(mine, key=lambda event: str(event["properties"]["impactStartTime"]), reverse=True)

    def _of_subscription(self, asked: Asked) -> Json:
        own = asked.places["subscription"]
        self.access.demand(asked, f"{_EVENTS_TYPE}/read", f"/subscriptions/{own}")
        since, test = _day(asked.query.get("querystarttime", "")), asked.query.get("$filter", "").lower()
        found = [event for event in self._events_in(own) if _reaches(event, since) and _fits(event, test)]
        return paged(asked, found, 50)

    def _event(self, asked: Asked) -> Json:
        own, tracking = asked.places["subscription"], asked.places["tracking"]
        self.access.demand(asked, f"{_EVENTS_TYPE}/read", f"/subscriptions/{own}")
        for event in self._events_in(own):
            if event["name"] == tracking:
                return event
        raise AzureError(404, "EventNotFound", f"The event '{tracking}' could not be found.")

    def _impacted(self, asked: Asked) -> Json:
        own, tracking, place = asked.places["subscription"], str(self._event(asked)["name"]), asked.path
        targets = self.impacted.get((own.lower(), tracking), [])
        return paged(asked, [_touched(place, target) for target in targets], 50)


_SUMMARIES: Final = {
    "Available": "There aren't any known Azure platform problems affecting this resource.",
    "Unavailable": "We're sorry, this resource is currently unavailable.",
    "Degraded": "We're sorry, this resource has reduced performance.",
    "Unknown": "We're currently unable to determine the health of this resource.",
}


def _status(scope: str, name: str, told: Json) -> Json:
    place = f"{scope}/{_PROVIDER}/availabilityStatuses/{name}"
    about = {"id": place, "name": name, "type": "Microsoft.ResourceHealth/AvailabilityStatuses"}
    return {**about, "location": "westeurope", "properties": told}


def _touched(place: str, target: str) -> Json:
    name = invented_id("impacted", place, target)
    told = {"targetResourceId": target, "targetResourceType": type_of(target), "targetRegion": "westeurope"}
    return {"id": f"{place}/{name}", "name": name, "type": "Microsoft.ResourceHealth/events/impactedResources"} | {
        "properties": told
    }


def _day(text: str) -> str:
    """A day, which the service reads in the American form alone, as events have it."""
    try:
        return f"{datetime.strptime(text, '%m/%d/%Y').replace(tzinfo=UTC):%Y-%m-%d}" if text else ""
    except ValueError:
        raise AzureError(400, "InvalidQueryStartTime", f"'{text}' is no date such as 7/24/2020.") from None


def _reaches(event: Json, since: str) -> bool:
    """Whether it began since then, or is still going on."""
    told = event["properties"]
    return not since or told["status"] == "Active" or str(told["impactStartTime"]) >= since


def _fits(event: Json, test: str) -> bool:
    return not test or f"eventtype eq '{str(event['properties']['eventType']).lower()}'" in test


def _impact(services: Sequence[str], regions: Sequence[str]) -> list[Json]:
    impacted = [{"impactedRegion": region} for region in regions]
    return [{"impactedService": service, "impactedRegions": impacted} for service in services]
