"""Shows what an app currently runs on: instances, replicas or node pools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from clients.azure.apps import parts
from clients.azure.apps.deployments import revisions
from clients.azure.apps.finding import AzureApp, app_called
from clients.azure.client import Azure
from mcp_server.declarations.toolset import Access, Part
from tools.azure.access import Arm
from tools.azure.apps.app_parameters import OF_APP, AppName
from tools.azure.apps.clusters import pool
from tools.azure.shared.answers import Json, at, every, present
from tools.azure.shared.parallel_reads import gathered
from tools.azure.shared.parameters import Subscription

part = Part()

_MOST_REVISIONS: Final = 100
_OF_NODES: Final = (
    "Nodes and pods are visible only in the cluster or in its log workspace. Use show_app_logs to get log queries."
)


@part.tool(Access.READ, harmless=OF_APP)
async def list_app_instances(azure: Arm, app: AppName, subscription: Subscription = None) -> Json:
    """List instances of a web or function app, replicas (with restarts) of a container app, or node pools of AKS."""
    found = await app_called(azure, app, subscription)
    if found.is_site:
        return every((await parts.instances(azure, found.id)).items, _instance)
    if found.is_container_app:
        replicas, not_read = await replicas_of(azure, found)
        return every(replicas, replica, notRead=not_read)
    return every((await parts.pools(azure, found.id)).items, _pool, note=_OF_NODES)


async def replicas_of(azure: Azure, app: AzureApp) -> tuple[Sequence[Mapping[str, Any]], Any]:
    """Return the replicas of all active revisions of a container app."""
    page = await revisions(azure, app.id, _MOST_REVISIONS)
    active = [str(one.get("name")) for one in page.items if at(one, "properties.active")]
    found, not_read = await gathered({name: partial(parts.replicas, azure, app.id, name) for name in active})
    return [one for name in active if name in found for one in found[name].items], not_read


def _instance(record: Mapping[str, Any]) -> Json:
    found = record.get("properties") or {}
    return present({"name": found.get("machineName") or record.get("name"), "state": found.get("state")})


def replica(record: Mapping[str, Any]) -> Json:
    found = record.get("properties") or {}
    containers = [*(found.get("initContainers") or ()), *(found.get("containers") or ())]
    return present(
        {
            "name": record.get("name"),
            "created": found.get("createdTime"),
            "state": found.get("runningState"),
            "why": found.get("runningStateDetails"),
            "containers": [_container(one) for one in containers if isinstance(one, Mapping)],
        }
    )


def _container(record: Mapping[str, Any]) -> Json:
    """Describe a container. The URL of the container's log is omitted, because reading the log requires a separate
    token.
    """
    return present(
        {
            "name": record.get("name"),
            "ready": record.get("ready"),
            "restarts": record.get("restartCount"),
            "state": record.get("runningState"),
            "why": record.get("runningStateDetails"),
        }
    )


def _pool(record: Mapping[str, Any]) -> Json:
    return pool({"name": record.get("name"), **(record.get("properties") or {})})
