"""What App Service tells beside its resources: settings by a POST, logs, and why a deployment failed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from tests.fakes.azure.access import Access
from tests.fakes.azure.estate import Estate, Resource
from tests.fakes.azure.resources import shown
from tests.fakes.azure.routes import Asked, AzureError, Json, Reply, Route

_SITE: Final = "/subscriptions/{subscription}/resourceGroups/{group}/providers/Microsoft.Web/sites/{site}"
_TYPE: Final = "Microsoft.Web/sites"


@dataclass
class AppService:
    estate: Estate
    access: Access
    now: datetime
    # By the name of the app: values that nobody is to see.
    secrets: dict[str, Json] = field(default_factory=dict)
    logs: Mapping[str, str] = field(default_factory=dict)

    def settings(self, place: str) -> Json:
        """What an app or a slot has been set to, by its id."""
        parts = place.split("/")
        name = "/".join(parts[8::2])
        own: Json = self.secrets.setdefault(name, {"appsettings": {}, "connectionstrings": {}})
        return own

    @property
    def routes(self) -> list[Route]:
        return [
            Route(f"POST {_SITE}/config/{{what}}/list", self._settings, type=f"{_TYPE}/config"),
            Route(f"POST {_SITE}/publishxml", self._publishing, type=_TYPE),
            Route(f"POST {_SITE}/containerlogs", self._container_log, type=_TYPE),
            Route(f"GET {_SITE}/deployments/{{deployment}}/log", self._deployment_log, type=_TYPE),
        ]

    def _site(self, asked: Asked, action: str) -> Resource:
        place = "/".join(asked.path.split("/")[:9])
        self.access.demand(asked, f"{_TYPE}/{action}", place)
        found = self.estate.resources.get(place.lower())
        if found is None:
            raise AzureError(404, "ResourceNotFound", f"The Resource '{_TYPE}/{asked.places['site']}' was not found.")
        return found

    def _settings(self, asked: Asked) -> Json:
        site = self._site(asked, "config/list/Action")
        what = asked.places["what"].lower()
        own = self.secrets.get(str(site.document["name"]), {}).get(what)
        if own is None:
            raise AzureError(404, "NotFound", f"There is no configuration '{what}'.")
        place = f"{site.id}/config/{what}"
        return {
            "id": place,
            "name": what,
            "type": f"{_TYPE}/config",
            "location": "West Europe",
            "properties": dict(own),
        }

    def _publishing(self, asked: Asked) -> Reply:
        """Where files go by FTP, which `az` looks up whenever it shows an app."""
        name = self._site(asked, "publishxml/action").document["name"]
        profile = f'<publishProfile publishMethod="FTP" publishUrl="ftps://{name}.ftp.example.com" userName="nobody" />'
        return Reply(content=f"<publishData>{profile}</publishData>".encode())

    def _container_log(self, asked: Asked) -> Reply:
        site = self._site(asked, "containerlogs/action")
        text = self.logs.get(str(site.document["name"]))
        return Reply(status=204) if text is None else Reply(content=text.encode())

    def _deployment_log(self, asked: Asked) -> Json:
        site = self._site(asked, "deployments/log/read")
        deployment = self.estate.resources.get(f"{site.id}/deployments/{asked.places['deployment']}".lower())
        if deployment is None:
            raise AzureError(404, "NotFound", "No deployment could be found for this id.")
        has_failed = deployment.properties["status"] == 3
        said = [
            "Running oryx build...",
            *(["ERROR: No matching distribution found for ovens==9"] if has_failed else []),
        ]
        return {"value": [self._line(deployment, number, text) for number, text in enumerate(said)]}

    def _line(self, deployment: Resource, number: int, text: str) -> Json:
        at = shown(self.now - timedelta(hours=3) + timedelta(seconds=number))
        kind = 2 if text.startswith("ERROR") else 0
        name = f"line{number}"
        about = {"id": name, "log_time": at, "message": text, "type": kind, "details_url": None}
        return {"id": f"{deployment.id}/log/{name}", "name": name, "type": f"{_TYPE}/log", "properties": about}
