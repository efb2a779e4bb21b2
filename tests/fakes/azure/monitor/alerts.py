"""Alerts Management: alerts that fired."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from tests.fakes.azure.access import Access, called_by
from tests.fakes.azure.estate import Estate, is_within, type_of
from tests.fakes.azure.graph.values import moment_of
from tests.fakes.azure.people import invented_id
from tests.fakes.azure.resources import shown
from tests.fakes.azure.routes import Asked, AzureError, Json, Route, paged

_LINE: Final = "GET {scope}/providers/Microsoft.AlertsManagement/alerts"
_TYPE: Final = "Microsoft.AlertsManagement/alerts"
_KEPT: Final = timedelta(days=30)
_SPANS: Final = {"1h": timedelta(hours=1), "1d": timedelta(days=1), "7d": timedelta(days=7), "30d": timedelta(days=30)}
_FILTERS: Final = {
    "targetresource": "targetResource",
    "targetresourcegroup": "targetResourceGroup",
    "targetresourcetype": "targetResourceType",
    "severity": "severity",
    "alertstate": "alertState",
    "monitorcondition": "monitorCondition",
    "monitorservice": "monitorService",
    "alertrule": "alertRule",
}


@dataclass
class Alerts:
    estate: Estate
    access: Access
    now: datetime
    fired: list[Json] = field(default_factory=list)
    page_size: int = 25

    @property
    def routes(self) -> list[Route]:
        return [Route(_LINE, self._list, type=_TYPE), Route(f"{_LINE}/{{name}}", self._show, type=_TYPE)]

    def fire(
        self,
        resource: str,
        name: str,
        at: datetime,
        *,
        severity: str = "Sev2",
        rule: str = "",
        resolved: datetime | None = None,
        state: str = "New",
        service: str = "Platform",
        signal: str = "Metric",
        description: str = "",
        **context: Any,
    ) -> Json:
        """An alert on a resource: `name` is that of its rule, and `resolved` when the condition was no longer met."""
        place = (
            f"{resource}/providers/Microsoft.AlertsManagement/alerts/{invented_id('alert', resource, name, str(at))}"
        )
        essentials = {
            "severity": severity,
            "signalType": signal,
            "alertState": state,
            "monitorCondition": "Resolved" if resolved else "Fired",
            **_target(resource),
            "monitorService": service,
            "alertRule": rule or name,
            "sourceCreatedId": invented_id("source", name),
            "startDateTime": shown(at),
            "lastModifiedDateTime": shown(resolved or at),
            "lastModifiedUserName": "System",
            "description": description,
            "actionStatus": {"isSuppressed": False},
            **({"monitorConditionResolvedDateTime": shown(resolved)} if resolved else {}),
        }
        properties = {"essentials": essentials, "context": context, "egressConfig": {}}
        alert = {"properties": properties, "id": place, "type": _TYPE, "name": name}
        self.fired.append(alert)
        return alert

    def _list(self, asked: Asked) -> Json:
        scope = asked.places["scope"]
        self.access.demand_below(asked, f"{_TYPE}/read", scope)
        since, until = self._span(asked)
        found = [one for one in self.fired if self._is_meant(asked, scope, one) and since <= _began(one) <= until]
        found.sort(key=_began, reverse=asked.query.get("sortorder", "desc") == "desc")
        return paged(asked, [_shown(asked, one) for one in found], self.page_size)

    def _show(self, asked: Asked) -> Json:
        scope = asked.places["scope"]
        self.access.demand_below(asked, f"{_TYPE}/read", scope)
        for one in self.fired:
            if str(one["id"]).rpartition("/")[2] == asked.places["name"] and is_within(str(one["id"]), scope):
                return one
        raise AzureError(404, "NotFound", "The alert could not be found.")

    def _span(self, asked: Asked) -> tuple[datetime, datetime]:
        if custom := asked.query.get("customtimerange"):
            since, _, until = custom.partition("/")
            found = _moment(since), _moment(until)
            if self.now - found[0] > _KEPT + timedelta(minutes=1):
                raise AzureError(400, "BadRequest", "Custom time range should be within the last 30 days.")
            return found
        named = asked.query.get("timerange", "1d")
        if named not in _SPANS:
            raise AzureError(400, "BadRequest", f"Time range '{named}' is not supported.")
        return datetime.now(UTC) - _SPANS[named], datetime.now(UTC)

    def _is_meant(self, asked: Asked, scope: str, alert: Json) -> bool:
        essentials = alert["properties"]["essentials"]
        wanted = {own: asked.query[name] for name, own in _FILTERS.items() if name in asked.query}
        return (
            is_within(str(alert["id"]), scope)
            and self.access.may(called_by(asked), f"{_TYPE}/read", str(essentials["targetResource"]))
            and all(str(essentials[name]).lower() == value.lower() for name, value in wanted.items())
        )


def _shown(asked: Asked, alert: Json) -> Json:
    """What set it off is told on request only."""
    if asked.query.get("includecontext", "").lower() == "true":
        return alert
    return {**alert, "properties": {"essentials": alert["properties"]["essentials"]}}


def _began(alert: Json) -> datetime:
    return _moment(str(alert["properties"]["essentials"]["startDateTime"]))


def _moment(text: str) -> datetime:
    found = moment_of(text)
    if found is None:
        raise AzureError(400, "BadRequest", f"'{text}' is no time.")
    return found


def _target(resource: str) -> Json:
    return {
        "targetResource": resource,
        "targetResourceName": resource.rpartition("/")[2],
        "targetResourceGroup": resource.split("/")[4],
        "targetResourceType": type_of(resource).lower(),
    }
