"""Shows the configuration and revisions of container apps."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from clients.azure.apps.deployments import revisions
from clients.azure.apps.finding import AzureApp
from clients.azure.client import Azure
from clients.azure.messages import ListPage
from clients.azure.times import to_seconds
from tools.azure.apps.app_parameters import hosts, own_name
from tools.azure.shared.answers import Json, at, present
from tools.azure.shared.parallel_reads import gathered

_MOST_REVISIONS: Final = 100
_SHOWN: Final = 10


async def details(azure: Azure, app: AzureApp) -> Json:
    found, not_read = await gathered({"revisions": partial(revisions, azure, app.id, _MOST_REVISIONS)})
    page = found.get("revisions", ListPage([]))
    active = [one for one in page.items if at(one, "properties.active")]
    return {
        **_own(app),
        "containers": [_container(one) for one in at(app.properties, "template.containers") or ()],
        "scale": _scale(app.properties),
        "revisions": [revision(one) for one in active[:_SHOWN]],
        "inactive_revisions": len(page.items) - len(active) or None,
        "notRead": not_read,
    }


def _own(app: AzureApp) -> Json:
    found, settings = app.properties, app.properties.get("configuration") or {}
    return {
        "hosts": hosts(app.record),
        "environment": own_name(found.get("managedEnvironmentId") or found.get("environmentId")),
        "workload_profile": found.get("workloadProfileName"),
        "latest_revision": found.get("latestRevisionName"),
        "latest_ready_revision": found.get("latestReadyRevisionName"),
        "revisions_mode": settings.get("activeRevisionsMode"),
        "external": at(settings, "ingress.external"),
        "port": at(settings, "ingress.targetPort"),
        "traffic": at(settings, "ingress.traffic"),
        "identity": at(app.record, "identity.type"),
        "secrets": [at(one, "name") for one in settings.get("secrets") or ()],
        "registries": [at(one, "server") for one in settings.get("registries") or ()],
        "changed": to_seconds(at(app.record, "systemData.lastModifiedAt")),
    }


def _container(record: Mapping[str, Any]) -> Json:
    """Describe a container.

    Shows the names of environment variables and of the secrets to which they refer. Values are never shown.
    """
    variables = [one for one in record.get("env") or () if isinstance(one, Mapping)]
    return present(
        {
            "name": record.get("name"),
            "image": record.get("image"),
            "cpu": at(record, "resources.cpu"),
            "memory": at(record, "resources.memory"),
            "variables": [one.get("name") for one in variables if not one.get("secretRef")],
            "from_secrets": {str(one.get("name")): one["secretRef"] for one in variables if one.get("secretRef")},
            "probes": [at(one, "type") for one in record.get("probes") or ()],
        }
    )


def _scale(properties: Mapping[str, Any]) -> Json:
    scale = at(properties, "template.scale") or {}
    rules = [at(one, "name") for one in scale.get("rules") or ()]
    return present({"least": scale.get("minReplicas") or 0, "most": scale.get("maxReplicas"), "rules": rules})


def revision(record: Mapping[str, Any]) -> Json:
    found = record.get("properties") or {}
    return present(
        {
            "name": record.get("name"),
            "created": found.get("createdTime"),
            "traffic": found.get("trafficWeight"),
            "replicas": found.get("replicas"),
            "state": found.get("runningState"),
            "health": found.get("healthState"),
            "why": found.get("provisioningError") or found.get("runningStateDetails"),
        }
    )
