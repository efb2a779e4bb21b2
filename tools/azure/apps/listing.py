"""All apps of a subscription or a group, on whichever service they run."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from clients.azure.apps.finding import App
from clients.azure.apps.sorts import CLUSTER, CONTAINER_APP, PLAN, SITE
from clients.azure.client import Azure
from clients.azure.ids import ResourceId
from clients.azure.messages import Page
from clients.azure.named import Sort, all_of
from clients.folding import folded
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.apps.shared import gathered, hosts, own_name, runtime, state
from tools.azure.provider import Arm
from tools.azure.shared.answers import Json, at, many, present
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
    """List what runs: web apps, function apps, container apps, AKS clusters, with state, runtime, plan, hosts."""
    where = (await azure.subscription(subscription)).id
    asked = partial(_asked, azure, where, resource_group)
    found, not_read = await gathered({sort.called: asked(sort) for sort in _sorts(kind)})
    if not_read and not set(found) - {PLAN.called}:
        raise Refusal(f"None of the apps could be read. {not_read[0]['why']}")
    plans = {folded(str(one.get("id"))): one for one in _items(found, PLAN)}
    apps = [App(ResourceId.of(str(one["id"])), sort, one) for sort in _sorts(kind) for one in _items(found, sort)]
    wanted = [app for app in apps if app.sort is not PLAN and app.kind in _KINDS.get(kind or "", (app.kind,))]
    wanted.sort(key=lambda app: folded(app.id.name))
    has_more = len(wanted) > max_results or any(page.has_more for page in found.values())
    left_out = sum(page.left_out for page in found.values())
    return many(Page([_shown(one, plans) for one in wanted[:max_results]], has_more, left_out), notRead=not_read)


def _sorts(kind: Kind | None) -> list[Sort]:
    """What is asked for; plans say what apps cost, and have no state of their own."""
    by_kind = {"container": [CONTAINER_APP], "aks": [CLUSTER], None: [SITE, PLAN, CONTAINER_APP, CLUSTER]}
    return by_kind.get(kind, [SITE, PLAN])


def _asked(azure: Azure, subscription: str, group: str | None, sort: Sort) -> Callable[[], Awaitable[Page]]:
    # A plan may stand in another group than its apps.
    return partial(all_of, azure, sort, subscription, None if sort is PLAN else group, _MOST)


def _items(found: Mapping[str, Page], sort: Sort) -> list[Mapping[str, Any]]:
    return found[sort.called].items if sort.called in found else []


def _shown(app: App, plans: Mapping[str, Mapping[str, Any]]) -> Json:
    record = app.record
    own = {"name": record.get("name"), "kind": app.kind, "group": app.id.group, "state": state(record)}
    return present({**own, **_by_kind(app, plans), "hosts": hosts(record)})


def _by_kind(app: App, plans: Mapping[str, Mapping[str, Any]]) -> Json:
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
