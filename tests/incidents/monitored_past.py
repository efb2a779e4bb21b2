"""Puts into the fake what Azure Monitor, Resource Health and Service Health tell of the past."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from functools import partial
from typing import Any, Final

from tests.fakes.azure.estate import Estate, type_of
from tests.fakes.azure.monitor.monitored import Monitored
from tests.fakes.azure.people import invented_id
from tests.fakes.azure.resources import shown
from tests.incidents.incident import Event, Json

_APP: Final = "app "
_SYSTEM: Final = "system"
_HEALTH: Final = "Microsoft.ResourceHealth"


class MonitoredPast:
    """What Resource Graph has of health is planted as well as what is asked of the services themselves."""

    def __init__(self, monitored: Monitored, estate: Estate, subscriptions: Mapping[str, str]) -> None:
        self._monitored, self._estate, self._subscriptions = monitored, estate, subscriptions

    @property
    def sources(self) -> Mapping[str, Callable[[Event, Json], None]]:
        return {"activity": self._act, "platform": self._suffer, "health": self._ail, "alert": self._alert}

    def forget(self) -> None:
        self._monitored.activity.events.clear()
        self._monitored.alerts.fired.clear()
        health = self._monitored.health
        for told in (health.states, health.events, health.impacted):
            told.clear()
        for table in ("servicehealthresources", "healthresources"):
            self._estate.rows[table] = []

    def log(self, event: Event, scope: str, operation: str, who: str, **more: str) -> None:
        """What takes a while is in the log twice, at least."""
        add = partial(self._monitored.activity.add, scope, operation)
        correlation, begun = correlation_of(event), event.at - timedelta(seconds=4)
        add(begun, who, **{**more, "status": "Started", "level": "Informational"}, correlation=correlation)
        add(event.at, who, **{"status": "Succeeded", **more}, correlation=correlation)

    def _act(self, event: Event, says: Json) -> None:
        known = {"about", "operation", "by", "status", "category", "level", "description", "part_of", "properties"}
        assert says.keys() <= known, says
        told = {name: says[name] for name in ("status", "category", "description", "level") if name in says}
        self.log(event, says["about"], says["operation"], who_of(says)[0], **told, **says.get("properties", {}))

    def _ail(self, event: Event, says: Json) -> None:
        target, state, summary = says["about"], says["state"], says.get("summary", "")
        reason, context = says.get("reason", "Unplanned"), says.get("context", "Platform Initiated")
        self._monitored.health.set_state(target, state, event.at, summary, reason=reason, context=context)
        told = {
            "title": summary or state,
            "currentHealthStatus": state,
            "cause": context.replace(" ", ""),
            "type": reason,
        }
        what = "Resolved" if state == "Available" else "Activated"
        self._monitored.activity.add(
            target, f"Microsoft.Resourcehealth/healthevent/{what}/action", event.at, category="ResourceHealth", **told
        )
        rows = self._estate.rows["healthresources"]
        rows[:] = [one for one in rows if one["properties"]["targetResourceId"] != target]
        rows.append(_row_of_state(target, state, event))

    def _alert(self, event: Event, says: Json) -> None:
        resolved = event.at + timedelta(minutes=says["minutes"]) if "minutes" in says else None
        told = {name: says[name] for name in ("severity", "service", "signal", "description") if name in says}
        self._monitored.alerts.fire(says["target"], says["about"], event.at, resolved=resolved, **told)

    def _suffer(self, event: Event, says: Json) -> None:
        """Something that befell one of Azure's own services."""
        end = event.at + timedelta(minutes=says["minutes"]) if "minutes" in says else None
        subscription = self._subscriptions[says.get("in", "production")]
        more = {"eventSubType": says["subtype"]} if "subtype" in says else {}
        self._monitored.health.add_event(
            subscription,
            says["tracking"],
            says.get("kind", "ServiceIssue"),
            says["about"],
            event.at,
            end,
            services=says["services"],
            regions=says.get("regions", ["West Europe"]),
            summary=says.get("summary", ""),
            impacted=says.get("impacted", []),
            **more,
        )
        self._estate.rows["servicehealthresources"] += _rows_of(event, says, subscription)


def who_of(says: Mapping[str, Any]) -> tuple[str, str]:
    """The name or id by which Azure knows who did it, and what kind of principal that is."""
    by = str(says.get("by", _SYSTEM))
    if by == _SYSTEM:
        return "System", "System"
    if by.startswith(_APP):
        return invented_id("principal", by.removeprefix(_APP)), "Application"
    return by, "User"


def correlation_of(event: Event) -> str:
    together = event.says.get("part_of") or f"{event.source} {event.says['about']} {event.at}"
    return invented_id("correlation", str(together))


def _row_of_state(target: str, state: str, event: Event) -> Json:
    return {
        "id": f"{target}/providers/{_HEALTH}/availabilityStatuses/current",
        "name": "current",
        "type": "microsoft.resourcehealth/availabilitystatuses",
        "location": "westeurope",
        "resourceGroup": target.split("/")[4].lower(),
        "subscriptionId": target.split("/")[2],
        "properties": {
            "targetResourceId": target,
            "targetResourceType": type_of(target),
            "availabilityState": state,
            "previousAvailabilityState": "Available" if state != "Available" else "Unavailable",
            "occurredTime": shown(event.at),
        },
    }


def _rows_of(event: Event, says: Json, subscription: str) -> list[Json]:
    """An event of Service Health, and the resources that it touches."""
    place = f"/subscriptions/{subscription}/providers/{_HEALTH}/events/{says['tracking']}"
    common = {"subscriptionId": subscription, "resourceGroup": ""}
    start = int(event.at.timestamp() * 1000)
    regions = [{"ImpactedRegion": one} for one in says.get("regions", ["West Europe"])]
    properties: Json = {
        "EventType": says.get("kind", "ServiceIssue"),
        "EventSubType": says.get("subtype", ""),
        "EventSource": "ServiceHealth",
        "Status": "Resolved" if "minutes" in says else "Active",
        "Title": says["about"],
        "Summary": says.get("summary", f"<p>{says['about']}</p>"),
        "Level": "Warning",
        "TrackingId": says["tracking"],
        "ImpactStartTime": str(start),
        "ImpactMitigationTime": str(start + says.get("minutes", 0) * 60_000),
        "LastUpdateTime": str(start),
        "Impact": [{"ImpactedService": one, "ImpactedRegions": regions} for one in says["services"]],
    }
    about = {"id": place, "name": says["tracking"], "type": "microsoft.resourcehealth/events"}
    return [
        {**about, **common, "properties": properties},
        *(_touched(place, one, common) for one in says.get("impacted", [])),
    ]


def _touched(place: str, target: str, common: Json) -> Json:
    name = invented_id("impacted", place, target)
    told = {"targetResourceId": target, "targetResourceType": type_of(target), "targetRegion": "westeurope"}
    about = {"id": f"{place}/impactedResources/{name}", "name": name, "properties": told, **common}
    return {**about, "type": "microsoft.resourcehealth/events/impactedresources"}
