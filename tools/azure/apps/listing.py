"""Lists the apps in subscriptions or in a group. The apps can run on any supported Azure service."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Annotated, Any, Final, Literal

from clients.azure.apps.finding import AzureApp
from clients.azure.apps.sorts import CLUSTER, CONTAINER_APP, PLAN, SITE
from clients.azure.client import Azure
from clients.azure.ids import ResourceId
from clients.azure.messages import ListPage
from clients.azure.named import Sort, all_of
from clients.folding import folded
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.access import Arm
from tools.azure.apps.app_parameters import hosts, own_name, runtime, state
from tools.azure.shared.answers import Json, at, many, present
from tools.azure.shared.everywhere import in_each
from tools.azure.shared.parallel_reads import gathered
from tools.azure.shared.parameters import AnyResourceGroup, MaxResults, Subscription

part = Part()

Kind = Literal["web", "function", "container", "aks"]
_MOST: Final = 1000
_SITES: Final = ("web app", "function app", "logic app")
_KINDS: Final = {"web": ("web app",), "function": ("function app", "logic app"), "container": ("container app",)}


@part.tool(Access.READ, harmless=("kind", "resource_group", "subscription"))
async def list_apps(
    azure: Arm,
    kind: Annotated[Kind | None, Field(description="Only these")] = None,
    resource_group: AnyResourceGroup = None,
    subscription: Subscription = None,
    max_results: MaxResults = 100,
) -> Json:
    """List web apps, function apps, container apps and AKS clusters, with state, runtime, plan and hosts."""
    unread: list[Json] = []

    async def read(scope: ResourceId) -> ListPage:
        page, not_read = await _apps_in(azure, scope, kind)
        unread.extend(not_read)
        return page

    found = await in_each(azure, subscription, read, max_results, group=resource_group, order=_name)
    return many(found.page, **{**found.said, "notRead": [*(found.said.get("notRead") or ()), *unread]})


async def _apps_in(azure: Azure, scope: ResourceId, kind: Kind | None) -> tuple[ListPage, list[Json]]:
    """Return the apps in a subscription or group, and the app types that could not be read."""
    read = partial(_read, azure, scope)
    found, not_read = await gathered({sort.called: read(sort) for sort in _sorts(kind)})
    if not_read and not set(found) - {PLAN.called}:
        raise Refusal(f"None of the apps could be read. {not_read[0]['why']}")
    plans = {folded(str(one.get("id"))): one for one in _items(found, PLAN)}
    apps = [AzureApp(ResourceId.of(str(one["id"])), sort, one) for sort in _sorts(kind) for one in _items(found, sort)]
    of_kind = [app for app in apps if app.sort is not PLAN and app.kind in _KINDS.get(kind or "", (app.kind,))]
    left_out = sum(page.left_out for page in found.values())
    has_more = any(page.has_more for page in found.values())
    unreadable = sum(page.unreadable for page in found.values())
    return ListPage([_shown(one, plans) for one in of_kind], has_more, left_out, unreadable), not_read or []


def _name(app: Json) -> str:
    return folded(str(app.get("name")))


def _sorts(kind: Kind | None) -> list[Sort]:
    """Return the resource types to read. Plans are included because they determine the size of web and function
    apps.
    """
    by_kind = {"container": [CONTAINER_APP], "aks": [CLUSTER], None: [SITE, PLAN, CONTAINER_APP, CLUSTER]}
    return by_kind.get(kind, [SITE, PLAN])


def _read(azure: Azure, scope: ResourceId, sort: Sort) -> Callable[[], Awaitable[ListPage]]:
    # The plan of an app may be in another group, so plans are read from the whole subscription.
    place = ResourceId.of_subscription(scope.subscription) if sort is PLAN else scope
    return partial(all_of, azure, sort, place, _MOST)


def _items(found: Mapping[str, ListPage], sort: Sort) -> list[Mapping[str, Any]]:
    return found[sort.called].items if sort.called in found else []


def _shown(app: AzureApp, plans: Mapping[str, Mapping[str, Any]]) -> Json:
    record = app.record
    own = {"name": record.get("name"), "kind": app.kind, "group": app.id.group, "state": state(record)}
    return present({**own, **_by_kind(app, plans), "hosts": hosts(record)})


def _by_kind(app: AzureApp, plans: Mapping[str, Mapping[str, Any]]) -> Json:
    found = app.properties
    if app.is_site:
        name = own_name(found.get("serverFarmId"))
        sku = at(plans.get(folded(str(found.get("serverFarmId")))), "sku.name")
        return {"runtime": runtime(app.record), "plan": f"{name} ({sku})" if sku else name}
    if app.is_container_app:
        images = [at(one, "image") for one in at(found, "template.containers") or ()]
        return {"runtime": ", ".join(map(str, images)), "plan": own_name(found.get("managedEnvironmentId"))}
    version = found.get("currentKubernetesVersion") or found.get("kubernetesVersion")
    return {"runtime": f"Kubernetes {version}", "plan": at(app.record, "sku.tier")}
