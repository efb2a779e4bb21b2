"""The activity log of subscriptions."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from tests.fakes.azure.access import Access, called_by
from tests.fakes.azure.estate import Estate, is_within, subscription_of, type_of
from tests.fakes.azure.graph.values import moment_of
from tests.fakes.azure.people import HOME, invented_id
from tests.fakes.azure.resources import shown
from tests.fakes.azure.routes import Asked, AzureError, Json, Reply, Route, paged

_LINE: Final = "GET /subscriptions/{subscription}/providers/Microsoft.Insights/eventtypes/management/values"
_ACTION: Final = "Microsoft.Insights/eventtypes/values/Read"
_KEPT: Final = timedelta(days=90)
_TEST: Final = re.compile(r"(\w+)\s+(eq|ge|le)\s+(?:'((?:[^']|'')*)'|(\S+))", re.IGNORECASE)
# Of these the service takes one only.
_PLACES: Final[dict[str, Callable[[Json, str], bool]]] = {
    "resourcegroupname": lambda event, value: str(event["resourceGroupName"]).lower() == value.lower(),
    "resourceuri": lambda event, value: is_within(str(event["resourceId"]), value),
    "resourceprovider": lambda event, value: str(event["resourceProviderName"]["value"]).lower() == value.lower(),
    "correlationid": lambda event, value: str(event["correlationId"]).lower() == value.lower(),
}


@dataclass
class ActivityLog:
    estate: Estate
    access: Access
    now: datetime
    events: list[Json] = field(default_factory=list)
    page_size: int = 100

    @property
    def routes(self) -> list[Route]:
        return [Route(_LINE, self._list, type="Microsoft.Insights/eventtypes")]

    def add(
        self,
        scope: str,
        operation: str,
        at: datetime,
        caller: str = "",
        *,
        status: str = "Succeeded",
        category: str = "Administrative",
        level: str = "",
        correlation: str = "",
        description: str = "",
        **properties: str,
    ) -> Json:
        """An event: `scope` is a resource, a group or a subscription, `operation` as `Microsoft.Web/sites/write`."""
        name = invented_id("event", scope, operation, status, str(at))
        event = {
            "id": f"{scope}/events/{name}/ticks/{int(at.timestamp() * 10_000_000)}",
            "eventDataId": name,
            "eventTimestamp": shown(at),
            "submissionTimestamp": shown(at + timedelta(seconds=90)),
            "operationName": _worded(operation),
            "status": _worded(status),
            "subStatus": {"value": "", "localizedValue": ""},
            "caller": caller,
            **_resource(scope),
            "resourceProviderName": _worded(operation.partition("/")[0]),
            "correlationId": correlation or invented_id("correlation", scope, operation),
            "operationId": name,
            "level": level or ("Error" if status == "Failed" else "Informational"),
            "category": _worded(category),
            "description": description,
            "channels": "Operation",
            "tenantId": HOME,
            "claims": {"name": caller},
            "properties": {"eventCategory": category, "entity": scope, **properties},
        }
        self.events.append(event)
        return event

    def _list(self, asked: Asked) -> Json | Reply:
        scope = f"/subscriptions/{asked.places['subscription']}"
        self.access.demand_below(asked, _ACTION, scope)
        tests = [(name.lower(), how.lower(), one or other) for name, how, one, other in _TEST.findall(_filter(asked))]
        if refused := self._refused(tests):
            return Reply({"code": "BadRequest", "message": refused}, 400)
        found = [event for event in self.events if self._is_meant(asked, scope, event, tests)]
        found.sort(key=lambda event: str(event["eventTimestamp"]), reverse=True)
        columns = [name.strip() for name in asked.query.get("$select", "").split(",") if name.strip()]
        return paged(asked, [_selected(event, columns) for event in found], self.page_size)

    def _refused(self, tests: list[tuple[str, str, str]]) -> str:
        since = next((value for name, how, value in tests if (name, how) == ("eventtimestamp", "ge")), "")
        if not since:
            return "The filter must contain the start time: eventTimestamp ge."
        if self.now - _moment(since) > _KEPT:
            return "The start time cannot be more than 90 days in the past."
        if len({name for name, _, _ in tests} & _PLACES.keys()) > 1:
            return "The filter is invalid: only one of its properties besides the times is supported."
        if unknown := {name for name, _, _ in tests} - {*_PLACES, "eventtimestamp", "eventchannels", "levels"}:
            return f"The filter is invalid: {', '.join(sorted(unknown))} is not supported."
        return ""

    def _is_meant(self, asked: Asked, scope: str, event: Json, tests: list[tuple[str, str, str]]) -> bool:
        if not is_within(str(event["resourceId"]), scope):
            return False
        return self.access.may(called_by(asked), _ACTION, str(event["resourceId"])) and all(
            _holds(event, *test) for test in tests
        )


def _filter(asked: Asked) -> str:
    return asked.query.get("$filter", "")


def _resource(scope: str) -> Json:
    parts = scope.split("/")
    return {
        "resourceId": scope,
        "resourceGroupName": parts[4] if len(parts) > 4 else "",
        "resourceType": _worded(type_of(scope)),
        "subscriptionId": subscription_of(scope),
    }


def _worded(value: str) -> Json:
    return {"value": value, "localizedValue": value}


def _holds(event: Json, name: str, how: str, value: str) -> bool:
    if name == "eventtimestamp":
        at, other = _moment(str(event["eventTimestamp"])), _moment(value)
        return at >= other if how == "ge" else at <= other
    return _PLACES[name](event, value.replace("''", "'")) if name in _PLACES else True


def _selected(event: Json, columns: list[str]) -> Json:
    wanted = {name.lower() for name in columns}
    return {name: value for name, value in event.items() if not wanted or name.lower() in wanted}


def _moment(text: str) -> datetime:
    found = moment_of(text)
    if found is None:
        raise AzureError(400, "BadRequest", f"The time '{text}' of the filter is invalid.")
    return found
