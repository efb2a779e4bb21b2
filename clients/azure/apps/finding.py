"""Finds an app by name in all Azure services that run apps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from clients.azure.apps.sorts import APPS, CLUSTER, CONTAINER_APP
from clients.azure.client import Azure
from clients.azure.ids import ResourceId
from clients.azure.named import Record, Sort, Sorts, one_of

_ANY: Final = Sorts("app", APPS)


@dataclass(frozen=True, slots=True)
class AzureApp:
    """An app or slot of App Service or Functions, a container app, or a Kubernetes cluster."""

    id: ResourceId
    sort: Sort
    record: Record

    @property
    def is_site(self) -> bool:
        return self.sort not in {CONTAINER_APP, CLUSTER}

    @property
    def is_container_app(self) -> bool:
        return self.sort is CONTAINER_APP

    @property
    def kind(self) -> str:
        """The everyday name of the service."""
        if not self.is_site:
            return "container app" if self.is_container_app else "AKS cluster"
        kinds = str(self.record.get("kind")).lower().split(",")
        if "workflowapp" in kinds:
            return "logic app"
        return "function app" if "functionapp" in kinds else "web app"

    @property
    def properties(self) -> Mapping[str, Any]:
        found = self.record.get("properties")
        return found if isinstance(found, Mapping) else {}


async def app_called(azure: Azure, named: str, subscription: str | None, *, anew: bool = True) -> AzureApp:
    """The app with this ID or name. The name of a slot has the form `app/slot`.

    Raises:
        Refusal: Several apps match, or no app does. The error message lists the choices.
    """
    sort, record = await one_of(azure, _ANY, named, subscription, anew=anew)
    return AzureApp(ResourceId.of(str(record.get("id"))), sort, record)
