"""Puts what happened in Azure where the fake has it, instead of what happens at the bakery on any other day."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from functools import partial
from typing import Any, Final

from tests.fakes.azure.deployments import deployment, deployment_id, operation
from tests.fakes.azure.estate import Change, Resource, type_of
from tests.fakes.azure.people import invented_id
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.world import DEVELOPMENT, PRODUCTION, SHARED
from tests.incidents.devops_past import DevOpsPast
from tests.incidents.incident import Event, Incident, Json, iso

_APP: Final = "app "
_SYSTEM: Final = "system"
_SUBSCRIPTIONS: Final = {"production": PRODUCTION, "development": DEVELOPMENT, "shared": SHARED}


class AzurePast:
    """`@shop-web` in an incident is the id of the resource or group of that name, or of a subscription."""

    def __init__(self, azure: FakeAzure, incident: Incident, pipelines: DevOpsPast) -> None:
        self._azure, self._incident, self._pipelines = azure, incident, pipelines
        # By the names of resources, groups and subscriptions.
        self.ids: dict[str, str] = {}
        self._monitored: Any = getattr(azure, "monitor", None)

    def plant(self) -> None:
        self._forget()
        self._name()
        for one in self._incident.estate:
            self._build(one)
        plant: Mapping[str, Callable[[Event, Json], None]] = {
            "change": self._change,
            "app_deployment": self._bring,
            "activity": self._act,
            "deployment": self._deploy,
            "platform": self._suffer,
            "health": self._ail,
            "alert": self._alert,
            "advice": self._advise,
        }
        if self._monitored is None:
            plant = {
                "change": self._change,
                "deployment": self._deploy,
                "advice": self._advise,
                "app_deployment": self._bring,
            }
        for event in self._incident.of(*plant):
            plant[event.source](event, self._resolved(event.says))

    def _forget(self) -> None:
        """What the bakery has done lately would be beside the point."""
        estate = self._azure.estate
        estate.changes.clear()
        for kept in (estate.deployments, estate.operations, estate.templates):
            kept.clear()
        for table in ("servicehealthresources", "healthresources", "advisorresources"):
            estate.rows[table] = []
        monitored = self._monitored
        if monitored is None:
            return
        monitored.activity.events.clear()
        monitored.alerts.fired.clear()
        for told in (monitored.health.states, monitored.health.events, monitored.health.impacted):
            told.clear()

    # What there is

    def _name(self) -> None:
        estate = self._azure.estate
        self.ids = {name: f"/subscriptions/{one}" for name, one in _SUBSCRIPTIONS.items()}
        self.ids |= {str(group["name"]): str(group["id"]) for group in estate.groups.values()}
        for resource in estate.resources.values():
            self.ids[str(resource.document["name"])] = resource.id

    def _build(self, written: Json) -> None:
        """Put a resource there, or change one that is there."""
        name = str(written["name"])
        if "in" not in written:
            known = self._azure.estate.resources[self.ids[name].lower()]
            told = self._resolved(written)
            known.document["tags"] = {**(known.document.get("tags") or {}), **told.get("tags", {})}
            known.properties.update(told.get("properties", {}))
            known.document |= {key: told[key] for key in ("identity", "sku", "kind") if key in told}
            return
        self.ids[name] = place = self._place(self.ids[written["in"]], written["type"], name)
        told = self._resolved({key: value for key, value in written.items() if key != "in"})
        properties = {"provisioningState": "Succeeded", **told.get("properties", {})}
        short = name.rpartition("/")[2]
        tracked = {} if written.get("is_child") else {"location": written.get("location", "westeurope"), "tags": {}}
        told.pop("is_child", None)
        long_ago = self._incident.broke - timedelta(days=200)
        document = {"id": place, **tracked, **told, "name": short, "properties": properties}
        self._azure.estate.add(Resource(document, long_ago, long_ago))

    def _place(self, group: str, kind: str, name: str) -> str:
        namespace, *kinds = kind.split("/")
        parts = zip(kinds, name.split("/"), strict=True)
        return f"{group}/providers/{namespace}" + "".join(f"/{one}/{named}" for one, named in parts)

    def _resolved(self, value: Any) -> Any:
        if isinstance(value, Mapping):
            return {name: self._resolved(one) for name, one in value.items()}
        if isinstance(value, list):
            return [self._resolved(one) for one in value]
        if isinstance(value, str) and value.startswith("@"):
            name, slash, rest = value[1:].partition("/")
            return f"{self.ids[name]}{slash}{rest}"
        return value

    # What happened

    def _change(self, event: Event, says: Json) -> None:
        who, kind = _who(says)
        settings = {path: (before, after) for path, (before, after) in says.get("set", {}).items()}
        target = says["about"]
        self._azure.estate.changes.append(
            Change(
                target,
                type_of(target).lower(),
                says.get("kind", "Update"),
                event.at,
                who,
                settings,
                by_type=kind,
                client=says.get("with", "Azure Portal"),
                correlation=_correlation(event),
            )
        )
        if kind != "System" and not self._is_in_the_log(event):
            self._log(event, target, _operation(type_of(target), says), who)

    def _is_in_the_log(self, event: Event) -> bool:
        """Whether the incident itself tells what was asked for, of what came of it."""
        together = event.says.get("part_of")
        asked = ((one.says.get("part_of"), one.says["about"]) for one in self._incident.of("activity"))
        return bool(together) and (together, event.says["about"]) in asked

    def _log(self, event: Event, scope: str, operation: str, who: str, **more: str) -> None:
        """What takes a while is in the log twice, at least."""
        if self._monitored is None:
            return
        add = partial(self._monitored.activity.add, scope, operation)
        correlation = _correlation(event)
        begun = event.at - timedelta(seconds=4)
        add(begun, who, **{**more, "status": "Started", "level": "Informational"}, correlation=correlation)
        add(event.at, who, **{"status": "Succeeded", **more}, correlation=correlation)

    def _act(self, event: Event, says: Json) -> None:
        who, _ = _who(says)
        status = says.get("status", "Succeeded")
        known = {"about", "operation", "by", "status", "category", "level", "description", "part_of", "properties"}
        assert says.keys() <= known, says
        told = {name: says[name] for name in ("category", "description", "level") if name in says}
        self._log(event, says["about"], says["operation"], who, status=status, **told, **says.get("properties", {}))

    def _deploy(self, event: Event, says: Json) -> None:
        scope, state = self.ids[says["in"]], says.get("state", "Succeeded")
        made = [str(one) for one in says.get("resources", [])]
        place = deployment_id(scope, says["about"])
        told: Json = {"outputResources": [{"id": one} for one in made], "parameters": says.get("parameters", {})}
        if "error" in says:
            told["error"] = says["error"]
        told["correlationId"] = _correlation(event)
        if "by" in says:
            self._log(event, place, "Microsoft.Resources/deployments/write", _who(says)[0], status=state)
        self._azure.estate.deployments[place.lower()] = deployment(scope, says["about"], state, event.at, **told)
        self._azure.estate.operations[place.lower()] = [operation(place, one, state, event.at) for one in made]
        self._azure.estate.templates[place.lower()] = {"$schema": "", "contentVersion": "1.0.0.0", "resources": []}

    def _bring(self, event: Event, says: Json) -> None:
        """Something new that an app was given: as App Service tells of it, or a revision of a container app."""
        app = str(says["about"])
        if "image" in says:
            containers = [{"name": "api", "image": says["image"]}]
            told: Json = {"createdTime": iso(event.at), "active": True, "template": {"containers": containers}}
            kind, place, name = "revisions", f"{app}/revisions/{says['name']}", str(says["name"])
        else:
            name = invented_id("deployment", app, str(event.at)).replace("-", "")
            kind, place, told = "deployments", f"{app}/deployments/{name}", self._on_site(event, says, name)
        self._azure.estate.add(
            Resource(
                {"id": place, "name": name, "type": f"{type_of(app)}/{kind}", "properties": told}, event.at, event.at
            )
        )

    def _on_site(self, event: Event, says: Json, name: str) -> Json:
        by_pipeline = self._pipelines.message_of(says["build"]) if "build" in says else ""
        return {
            "id": name,
            "status": 3 if says.get("state") == "failed" else 4,
            "message": by_pipeline or says.get("message", ""),
            "author": says["by"].partition("@")[0],
            "author_email": says["by"],
            "deployer": says.get("with", "VSTS" if by_pipeline else "ZipDeploy"),
            "received_time": iso(event.at - timedelta(seconds=50)),
            "start_time": iso(event.at - timedelta(seconds=45)),
            "end_time": iso(event.at),
            "active": True,
            "complete": True,
        }

    def _suffer(self, event: Event, says: Json) -> None:
        """Something that befell one of Azure's own services."""
        end = event.at + timedelta(minutes=says["minutes"]) if "minutes" in says else None
        subscription = _SUBSCRIPTIONS[says.get("in", "production")]
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
        self._azure.estate.rows["servicehealthresources"] += _rows_of(event, says, subscription)

    def _ail(self, event: Event, says: Json) -> None:
        context = {"reason": says.get("reason", "Unplanned"), "context": says.get("context", "Platform Initiated")}
        summary = says.get("summary", "")
        self._monitored.health.set_state(says["about"], says["state"], event.at, summary, **context)

    def _alert(self, event: Event, says: Json) -> None:
        resolved = event.at + timedelta(minutes=says["minutes"]) if "minutes" in says else None
        told = {name: says[name] for name in ("severity", "service", "signal", "description") if name in says}
        self._monitored.alerts.fire(says["target"], says["about"], event.at, resolved=resolved, **told)

    def _advise(self, _: Event, says: Json) -> None:
        """That something retires which a resource uses."""
        target, feature = says["target"], says["about"]
        name = invented_id("recommendation", target, feature)
        extended = {
            "recommendationSubCategory": "ServiceUpgradeAndRetirement",
            "retirementFeatureName": feature,
            "retirementDate": says["retires"],
        }
        self._azure.estate.rows["advisorresources"].append(
            {
                "id": f"{target}/providers/Microsoft.Advisor/recommendations/{name}",
                "name": name,
                "type": "microsoft.advisor/recommendations",
                "resourceGroup": target.split("/")[4].lower(),
                "subscriptionId": target.split("/")[2],
                "properties": {
                    "category": "HighAvailability",
                    "impact": "High",
                    "impactedField": type_of(target),
                    "impactedValue": target.rpartition("/")[2],
                    "shortDescription": {
                        "problem": f"{feature} will be retired.",
                        "solution": says.get("solution", ""),
                    },
                    "resourceMetadata": {"resourceId": target, "source": target},
                    "extendedProperties": extended,
                },
            }
        )


def _who(says: Mapping[str, Any]) -> tuple[str, str]:
    """The name or id by which Azure knows who did it, and what kind of principal that is."""
    by = str(says.get("by", _SYSTEM))
    if by == _SYSTEM:
        return "System", "System"
    if by.startswith(_APP):
        return invented_id("principal", by.removeprefix(_APP)), "Application"
    return by, "User"


def _correlation(event: Event) -> str:
    together = event.says.get("part_of") or f"{event.source} {event.says['about']} {event.at}"
    return invented_id("correlation", str(together))


def _operation(kind: str, says: Json) -> str:
    if says.get("set") and all(path.startswith("tags") for path in says["set"]):
        return "Microsoft.Resources/tags/write"
    return f"{kind}/{'delete' if says.get('kind') == 'Delete' else 'write'}"


def _rows_of(event: Event, says: Json, subscription: str) -> list[Json]:
    """The same as Resource Graph has it: the event, and the resources that it touches."""
    place = f"/subscriptions/{subscription}/providers/Microsoft.ResourceHealth/events/{says['tracking']}"
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
    rows = [{"id": place, "name": says["tracking"], "type": "microsoft.resourcehealth/events", **common}]
    rows[0]["properties"] = properties
    for target in says.get("impacted", []):
        name = invented_id("impacted", says["tracking"], target)
        told = {"targetResourceId": target, "targetResourceType": type_of(target), "targetRegion": "westeurope"}
        about = {"id": f"{place}/impactedResources/{name}", "name": name, "properties": told, **common}
        rows.append({**about, "type": "microsoft.resourcehealth/events/impactedresources"})
    return rows
