"""Puts what happened in Azure where the fake has it, instead of what happens at the bakery on any other day."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any, Final

from tests.fakes.azure.deployments import deployment, deployment_id, operation
from tests.fakes.azure.estate import Change, Resource, type_of
from tests.fakes.azure.people import invented_id
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.world import DEVELOPMENT, PRODUCTION, SHARED
from tests.incidents.devops_past import DevOpsPast
from tests.incidents.incident import Event, Incident, Json, iso
from tests.incidents.monitored_past import MonitoredPast, correlation_of, who_of

# What apps were given lately.
_BROUGHT: Final = frozenset({"Microsoft.Web/sites/deployments", "Microsoft.App/containerApps/revisions"})
SUBSCRIPTIONS: Final = {"production": PRODUCTION, "development": DEVELOPMENT, "shared": SHARED}


class AzurePast:
    """`@shop-web` in an incident is the id of the resource or group of that name, or of a subscription."""

    def __init__(self, azure: FakeAzure, incident: Incident, pipelines: DevOpsPast) -> None:
        self._azure, self._incident, self._pipelines = azure, incident, pipelines
        # By the names of resources, groups and subscriptions.
        self.ids: dict[str, str] = {}
        self._monitored = MonitoredPast(azure.monitor, azure.estate, SUBSCRIPTIONS)

    def plant(self) -> None:
        self._forget()
        self._name()
        for one in self._incident.estate:
            self._build(one)
        plant: Mapping[str, Callable[[Event, Json], None]] = {
            "change": self._change,
            "deployment": self._deploy,
            "app_deployment": self._bring,
            "advice": self._advise,
            **self._monitored.sources,
        }
        for event in self._incident.of(*plant):
            plant[event.source](event, self._resolved(event.says))

    def _forget(self) -> None:
        """What the bakery has done lately would be beside the point."""
        estate = self._azure.estate
        estate.changes.clear()
        for kept in (estate.deployments, estate.operations, estate.templates):
            kept.clear()
        for brought in [one.id for one in estate.resources.values() if one.type in _BROUGHT]:
            estate.remove(brought)
        estate.rows["advisorresources"] = []
        self._monitored.forget()

    # What there is

    def _name(self) -> None:
        estate = self._azure.estate
        self.ids = {name: f"/subscriptions/{one}" for name, one in SUBSCRIPTIONS.items()}
        self.ids |= {str(group["name"]): str(group["id"]) for group in estate.groups.values()}
        # What is below another may well have a name that something else has.
        for resource in sorted(estate.resources.values(), key=lambda one: -one.id.count("/")):
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
        who, kind = who_of(says)
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
                correlation=correlation_of(event),
            )
        )
        if kind != "System" and not self._is_in_the_log(event):
            self._monitored.log(event, target, _operation(type_of(target), says), who)

    def _is_in_the_log(self, event: Event) -> bool:
        """Whether the incident itself tells what was asked for, of what came of it."""
        together = event.says.get("part_of")
        asked = ((one.says.get("part_of"), one.says["about"]) for one in self._incident.of("activity"))
        return bool(together) and (together, event.says["about"]) in asked

    def _deploy(self, event: Event, says: Json) -> None:
        scope, state = self.ids[says["in"]], says.get("state", "Succeeded")
        made = [str(one) for one in says.get("resources", [])]
        place = deployment_id(scope, says["about"])
        told: Json = {"outputResources": [{"id": one} for one in made], "parameters": says.get("parameters", {})}
        if "error" in says:
            told["error"] = says["error"]
        told["correlationId"] = correlation_of(event)
        if "by" in says:
            self._monitored.log(event, place, "Microsoft.Resources/deployments/write", who_of(says)[0], status=state)
        self._azure.estate.deployments[place.lower()] = deployment(scope, says["about"], state, event.at, **told)
        self._azure.estate.operations[place.lower()] = [operation(place, one, state, event.at) for one in made]
        self._azure.estate.templates[place.lower()] = {"$schema": "", "contentVersion": "1.0.0.0", "resources": []}

    def _bring(self, event: Event, says: Json) -> None:
        """Something new that an app was given: as App Service tells of it, or a revision of a container app."""
        app = str(says["about"])
        if "image" in says:
            containers = [{"name": "api", "image": says["image"]}]
            well = {"provisioningState": "Provisioned", "healthState": "Healthy", "runningState": "Running"}
            told: Json = {"createdTime": iso(event.at), "active": True, **well, "template": {"containers": containers}}
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


def _operation(kind: str, says: Json) -> str:
    if says.get("set") and all(path.startswith("tags") for path in says["set"]):
        return "Microsoft.Resources/tags/write"
    return f"{kind}/{'delete' if says.get('kind') == 'Delete' else 'write'}"
