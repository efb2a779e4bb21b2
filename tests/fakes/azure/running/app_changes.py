"""What may be done with apps of App Service, container apps and clusters, with what it leads to."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from tests.fakes.azure.access import Access
from tests.fakes.azure.estate import Estate, Resource
from tests.fakes.azure.long_running import LongRunning, Style
from tests.fakes.azure.resources import Resources, shown
from tests.fakes.azure.routes import Asked, AzureError, Json, Reply, Route
from tests.fakes.azure.running.services import AppService

_GROUP: Final = "/subscriptions/{subscription}/resourceGroups/{group}/providers"
_SITE: Final = f"{_GROUP}/Microsoft.Web/sites/{{site}}"
_SLOT: Final = f"{_SITE}/slots/{{slot}}"
_CONTAINER_APP: Final = f"{_GROUP}/Microsoft.App/containerApps/{{app}}"
_CLUSTER: Final = f"{_GROUP}/Microsoft.ContainerService/managedClusters/{{cluster}}"
_PLAN: Final = f"{_GROUP}/Microsoft.Web/serverFarms/{{plan}}"
_WEB, _APP, _AKS = "Microsoft.Web/sites", "Microsoft.App/containerApps", "Microsoft.ContainerService/managedClusters"
# What changes places when slots do, besides settings that do not stay.
_MOVING: Final = ("linuxFxVersion", "alwaysOn")


@dataclass
class AppChanges:
    estate: Estate
    access: Access
    work: LongRunning
    service: AppService
    resources: Resources
    # How often each was restarted, by its id in lower case.
    restarts: dict[str, int] = field(default_factory=dict)
    # App Service gives none for settings; where this is set, it does.
    gives_etags: bool = False

    @property
    def routes(self) -> list[Route]:
        return [
            *self._of_sites,
            Route(f"GET {_PLAN}/sites", self._on_plan, type="Microsoft.Web/serverFarms"),
            *(
                Route(f"POST {_CONTAINER_APP}/revisions/{{revision}}/{verb}", self._revision(verb), type=_APP)
                for verb in ("activate", "deactivate", "restart")
            ),
            *(Route(f"POST {_CONTAINER_APP}/{verb}", self._container_app(verb), type=_APP) for verb in _RUNNING),
            Route(f"PATCH {_CONTAINER_APP}", self._patch_container_app, type=_APP),
            *(Route(f"POST {_CLUSTER}/{verb}", self._cluster(verb), type=_AKS) for verb in _RUNNING),
        ]

    @property
    def _of_sites(self) -> list[Route]:
        return [
            route
            for place in (_SLOT, _SITE)
            for route in (
                Route(f"POST {place}/restart", self._restart, type=_WEB),
                *(Route(f"POST {place}/{verb}", self._run(verb), type=_WEB) for verb in _RUNNING),
                Route(f"POST {place}/slotsdiffs", self._differences, type=_WEB),
                Route(f"POST {place}/slotsswap", self._swap, type=_WEB),
                Route(f"POST {place}/config/appsettings/list", self._list_settings, type=_WEB),
                Route(f"PUT {place}/config/appsettings", self._put_settings, type=_WEB),
                Route(f"PUT {_SITE}/config/slotConfigNames", self._put_sticky, type=_WEB),
                Route(f"GET {_SITE}/config/slotConfigNames", self._get_sticky, type=_WEB),
            )
        ]

    # App Service

    def _site(self, asked: Asked, action: str, *, is_change: bool = True) -> Resource:
        parts = asked.path.split("/")
        end = 11 if parts[9:10] and parts[9].lower() == "slots" else 9
        return self._meant(asked, "/".join(parts[:end]), f"{_WEB}/{action}", is_change=is_change)

    def _meant(self, asked: Asked, place: str, action: str, *, is_change: bool = True) -> Resource:
        self.access.demand(asked, action, place)
        found = self.estate.resources.get(place.lower())
        if found is None:
            raise AzureError(404, "ResourceNotFound", f"The Resource '{place}' was not found.")
        if is_change:
            self.resources.check_locks(place, "write")
        return found

    def _restart(self, asked: Asked) -> Reply:
        site = self._site(asked, "restart/Action")
        self.restarts[site.id.lower()] = self.restarts.get(site.id.lower(), 0) + 1
        return Reply(status=200)

    def _run(self, verb: str) -> Callable[[Asked], Reply]:
        def run(asked: Asked) -> Reply:
            self._site(asked, f"{verb}/Action").properties["state"] = _RUNNING[verb]
            return Reply(status=200)

        return run

    def _settings_of(self, site: Resource) -> Json:
        found: Json = self.service.settings(site.id).setdefault("appsettings", {})
        return found

    def _told(self, site: Resource, *, is_whole: bool = True) -> Json:
        place = f"{site.id}/config/appsettings"
        own = dict(self._settings_of(site))
        etag = {"etag": self._etag(site)} if self.gives_etags else {}
        about = {"id": place, "name": "appsettings", "type": f"{_WEB}/config", "location": "West Europe", **etag}
        return {**about, "properties": own if is_whole else {}}

    def _etag(self, site: Resource) -> str:
        return f'"{abs(hash(frozenset(self._settings_of(site).items())))}"'

    def _list_settings(self, asked: Asked) -> Json:
        return self._told(self._site(asked, "config/list/Action", is_change=False))

    def _put_settings(self, asked: Asked) -> Json:
        site = self._site(asked, "config/write")
        wanted = asked.body.get("properties")
        if not isinstance(wanted, dict) or not all(isinstance(one, str) for one in wanted.values()):
            raise AzureError(400, "BadRequest", f"The parameter properties has an invalid value: {wanted}.")
        condition = asked.headers.get("If-Match")
        if condition and condition not in {"*", self._etag(site)}:
            raise AzureError(412, "PreconditionFailed", "The settings were changed.")
        own = self._settings_of(site)
        own.clear()
        own.update(wanted)
        self._touched(site)
        return self._told(site)

    def _touched(self, site: Resource) -> None:
        site.properties["lastModifiedTimeUtc"] = shown(datetime.now(UTC))

    def _sticky(self, asked: Asked) -> Resource:
        place = "/".join(asked.path.split("/")[:9])
        known = self.estate.resources.get(f"{place}/config/slotConfigNames".lower())
        if known is not None:
            return known
        now = datetime.now(UTC)
        about = {"id": f"{place}/config/slotConfigNames", "name": "slotConfigNames", "type": f"{_WEB}/config"}
        return self.estate.add(Resource({**about, "properties": {}}, now, now))

    def _get_sticky(self, asked: Asked) -> Json:
        self._site(asked, "config/read", is_change=False)
        return self._sticky(asked).document

    def _put_sticky(self, asked: Asked) -> Json:
        self._site(asked, "config/write")
        found = self._sticky(asked)
        found.document["properties"] = dict(asked.body.get("properties") or {})
        return found.document

    def _pair(self, asked: Asked, action: str) -> tuple[Resource, Resource]:
        own = self._site(asked, action)
        other = str(asked.body.get("targetSlot") or "")
        whole = "/".join(asked.path.split("/")[:9])
        place = whole if other.lower() == "production" else f"{whole}/slots/{other}"
        found = self.estate.resources.get(place.lower())
        if found is None or found is own:
            raise AzureError(404, "NotFound", f"Cannot find slot '{other}'.")
        return own, found

    def _differences(self, asked: Asked) -> Json:
        own, other = self._pair(asked, "slotsdiffs/Action")
        settings = self._settings_of(own), self._settings_of(other)
        names = sorted({name for one in settings for name in one if settings[0].get(name) != settings[1].get(name)})
        rows = [self._difference(asked, "AppSettings", name, *(one.get(name) for one in settings)) for name in names]
        for name in _MOVING:
            values = [(one.properties.get("siteConfig") or {}).get(name) for one in (own, other)]
            if values[0] != values[1]:
                rows.append(self._difference(asked, "General", name, *values))
        return {"value": rows}

    def _difference(self, asked: Asked, kind: str, name: str, one: object, other: object) -> Json:
        about = {"level": "Information", "settingType": kind, "diffRule": "SettingsWillBeSwapped", "settingName": name}
        values = {"valueInCurrentSlot": one, "valueInTargetSlot": other, "description": f"{name}: {one} and {other}"}
        return {"id": asked.path, "name": name, "type": f"{_WEB}/slotsdiffs", "properties": {**about, **values}}

    def _swap(self, asked: Asked) -> Reply:
        own, other = self._pair(asked, "slotsswap/Action")
        names = {one.id.lower(): asked.places.get("slot") or "production" for one in (own,)}
        sticky = set(self._sticky(asked).properties.get("appSettingNames") or ())

        def finish() -> Json:
            self._exchange(own, other, sticky)
            whole = self.estate.resources["/".join(asked.path.split("/")[:9]).lower()]
            whole.properties["slotSwapStatus"] = {
                "timestampUtc": shown(datetime.now(UTC)),
                "sourceSlotName": names[own.id.lower()],
                "destinationSlotName": str(asked.body["targetSlot"]),
            }
            self._touched(whole)
            return own.document

        work = self.work.begin(finish)
        headers = self.work.headers(asked, work, asked.path.split("/")[2], Style.LOCATION, "Microsoft.Web")
        return Reply(status=202, headers=headers)

    def _exchange(self, own: Resource, other: Resource, sticky: set[str]) -> None:
        first, second = self._settings_of(own), self._settings_of(other)
        before = dict(first), dict(second)
        for settings, stays, comes in ((first, before[0], before[1]), (second, before[1], before[0])):
            settings.clear()
            settings.update({name: one for name, one in stays.items() if name in sticky})
            settings.update({name: one for name, one in comes.items() if name not in sticky})
        configs = [one.properties.setdefault("siteConfig", {}) for one in (own, other)]
        kept = deepcopy(configs)
        for config, comes in ((configs[0], kept[1]), (configs[1], kept[0])):
            config.update({name: comes[name] for name in _MOVING if name in comes})
        self._move_deployments(own, other)

    def _move_deployments(self, own: Resource, other: Resource) -> None:
        moved = []
        for one, into in ((own, other), (other, own)):
            folder = f"{one.id}/deployments/".lower()
            for key in [key for key in self.estate.resources if key.startswith(folder)]:
                found = self.estate.resources.pop(key)
                found.document["id"] = f"{into.id}/deployments/{found.document['name']}"
                moved.append(found)
        for found in moved:
            self.estate.add(found)

    def _on_plan(self, asked: Asked) -> Json:
        place = asked.path.rpartition("/")[0]
        self._meant(asked, place, "Microsoft.Web/serverfarms/read", is_change=False)
        own = [one for one in self.estate.resources.values() if one.type.lower() == _WEB.lower()]
        return {
            "value": [one.document for one in own if str(one.properties.get("serverFarmId")).lower() == place.lower()]
        }

    # Container Apps

    def _revision(self, verb: str) -> Callable[[Asked], Reply]:
        def act(asked: Asked) -> Reply:
            place = asked.path.rpartition("/")[0]
            found = self._meant(asked, place, f"{_APP}/revisions/{verb}/action")
            if verb == "restart":
                self.restarts[found.id.lower()] = self.restarts.get(found.id.lower(), 0) + 1
            else:
                found.properties["active"] = verb == "activate"
                found.properties["runningState"] = "Running" if verb == "activate" else "Stopped"
            return Reply(status=200)

        return act

    def _container_app(self, verb: str) -> Callable[[Asked], Reply]:
        def act(asked: Asked) -> Reply:
            found = self._meant(asked, asked.path.rpartition("/")[0], f"{_APP}/{verb}/action")
            return self._later(asked, found, {"runningStatus": _RUNNING[verb]})

        return act

    def _patch_container_app(self, asked: Asked) -> Reply:
        found = self._meant(asked, asked.path, f"{_APP}/write")
        if found.properties.get("provisioningState") == "InProgress":
            message = "Cannot modify a container app because there is an operation in progress."
            raise AzureError(409, "ContainerAppOperationInProgress", message)
        return self._later(asked, found, asked.body.get("properties") or {})

    def _later(self, asked: Asked, found: Resource, changes: Json) -> Reply:
        found.properties["provisioningState"] = "InProgress"

        def finish() -> Json:
            _merge(found.properties, changes)
            found.properties["provisioningState"] = "Succeeded"
            self._lead(found)
            return found.document

        work = self.work.begin(finish)
        headers = self.work.headers(asked, work, asked.path.split("/")[2], Style.LOCATION, "Microsoft.App")
        return Reply(status=202, headers=headers)

    def _lead(self, app: Resource) -> None:
        """Let revisions have the requests that the app says."""
        traffic = app.properties.get("configuration", {}).get("ingress", {}).get("traffic") or []
        weights = {str(one.get("revisionName")): one.get("weight", 0) for one in traffic if one.get("revisionName")}
        if not weights:
            return
        for one in self.estate.resources_within(f"{app.id}/revisions"):
            if one.type.lower().endswith("/revisions"):
                one.properties["trafficWeight"] = weights.get(str(one.document["name"]), 0)

    # Clusters

    def _cluster(self, verb: str) -> Callable[[Asked], Reply]:
        def act(asked: Asked) -> Reply:
            found = self._meant(asked, asked.path.rpartition("/")[0], f"{_AKS}/{verb}/action")

            def finish() -> None:
                found.properties["powerState"] = {"code": _RUNNING[verb]}

            work = self.work.begin(finish)
            subscription = asked.path.split("/")[2]
            headers = self.work.headers(asked, work, subscription, Style.BOTH, "Microsoft.ContainerService")
            return Reply(status=202, headers=headers)

        return act


_RUNNING: Final = {"start": "Running", "stop": "Stopped"}


def _merge(into: Json, changes: Json) -> None:
    """As a merge patch: what is an object is merged, everything else replaced."""
    for name, value in changes.items():
        if isinstance(value, dict) and isinstance(into.get(name), dict):
            _merge(into[name], value)
        else:
            into[name] = value
