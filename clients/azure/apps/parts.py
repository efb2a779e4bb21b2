"""Reads deployment logs, container logs, plans and other details of an app from Resource Manager."""

from __future__ import annotations

from typing import Any, Final

from clients.azure.apps.sorts import CLUSTER, CONTAINER_APP, ENVIRONMENT, PLAN, SITE
from clients.azure.client import Azure
from clients.azure.ids import ResourceId
from clients.azure.messages import OCTETS, ListPage, of_id
from clients.azure.named import Record, Sort, read
from clients.azure.withholding import withheld
from refusal import Refusal

_MOST: Final = 200
_DIAGNOSTICS: Final = "2021-05-01-preview"
# The maximum size of a log. This maximum is larger than the service's own limit.
_LARGEST_LOG: Final = 4 * 1024 * 1024


async def configuration(azure: Azure, site: ResourceId) -> Record:
    return await azure.json(of_id("GET", site, "/config/web", version=SITE.version))


async def log_configuration(azure: Azure, site: ResourceId) -> Record:
    return await azure.json(of_id("GET", site, "/config/logs", version=SITE.version))


async def slots(azure: Azure, site: ResourceId) -> ListPage:
    return await _list(azure, site, "/slots", SITE)


async def functions(azure: Azure, site: ResourceId) -> ListPage:
    return await _list(azure, site, "/functions", SITE)


async def instances(azure: Azure, site: ResourceId) -> ListPage:
    return await _list(azure, site, "/instances", SITE)


async def deployment_log(azure: Azure, site: ResourceId, deployment: str) -> list[Record]:
    """Read the log of a deployment. The service has several formats for logs."""
    below = "/deployments/{deployment}/log"
    request = of_id("GET", site, below, values={"deployment": deployment}, version=SITE.version)
    found = (await azure.send(request)).document
    entries = found.get("value") if isinstance(found, dict) else found
    return [_properties(entry) for entry in entries or () if isinstance(entry, dict)]


async def container_log(azure: Azure, site: ResourceId) -> str:
    """The last lines that the app's containers logged. Possible secrets are withheld."""
    request = of_id("POST", site, "/containerlogs", is_read=True, accept=OCTETS, version=SITE.version)
    text: str = withheld((await azure.send(request, _LARGEST_LOG)).text)
    return text


async def replicas(azure: Azure, app: ResourceId, revision: str) -> ListPage:
    below = "/revisions/{revision}/replicas"
    request = of_id("GET", app, below, values={"revision": revision}, version=CONTAINER_APP.version)
    return await azure.page(request, _MOST)


async def upgrades(azure: Azure, cluster: ResourceId) -> Record:
    return await azure.json(of_id("GET", cluster, "/upgradeProfiles/default", version=CLUSTER.version))


async def pools(azure: Azure, cluster: ResourceId) -> ListPage:
    return await _list(azure, cluster, "/agentPools", CLUSTER)


async def pool_upgrades(azure: Azure, cluster: ResourceId, pool: str) -> Record:
    below = "/agentPools/{pool}/upgradeProfiles/default"
    return await azure.json(of_id("GET", cluster, below, values={"pool": pool}, version=CLUSTER.version))


async def plan(azure: Azure, text: str) -> Record:
    return await _record_of(azure, PLAN, text)


async def environment(azure: Azure, text: str) -> Record:
    return await _record_of(azure, ENVIRONMENT, text)


async def diagnostics(azure: Azure, place: ResourceId) -> ListPage:
    """The diagnostic settings of a resource. They say where the logs of the resource are sent."""
    below = "/providers/Microsoft.Insights/diagnosticSettings"
    return await azure.page(of_id("GET", place, below, version=_DIAGNOSTICS), _MOST)


async def _record_of(azure: Azure, sort: Sort, text: str) -> Record:
    """Read the resource with this ID, for example an app's plan. The resource must have the given type."""
    place = ResourceId.of(text)
    if not sort.has(place):
        raise Refusal(f"The app does not refer to any {sort.called}.")
    return await read(azure, sort, place)


async def _list(azure: Azure, place: ResourceId, below: str, sort: Sort) -> ListPage:
    return await azure.page(of_id("GET", place, below, version=sort.version), _MOST)


def _properties(entry: dict[str, Any]) -> Record:
    found = entry.get("properties")
    return found if isinstance(found, dict) else entry
