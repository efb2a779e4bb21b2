"""Scales App Service plans and the replicas of container apps."""

from __future__ import annotations

from typing import Annotated, Any, Final

from changes.preview import Edit, Fact, Preview
from changes.undo import Undo, by_call
from clients.azure.apps.finding import AzureApp
from clients.azure.apps.sorts import PLAN
from clients.azure.client import Azure
from clients.azure.ids import ResourceId
from clients.azure.messages import AzureRequest, ListPage, of_id
from clients.azure.named import Record, read
from clients.azure.whole import refuse_withheld
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.access import Arm
from tools.azure.apps.app_changes import app_change, app_now, app_preview, refuse_cluster, show_call
from tools.azure.apps.app_parameters import OF_APP, AppName
from tools.azure.shared.answers import Json, at
from tools.azure.shared.applying import SECONDS, holding
from tools.azure.shared.inspecting import Inspected
from tools.azure.shared.monthly_cost import cost_change, cost_in_words
from tools.azure.shared.parameters import Subscription
from tools.azure.shared.resource_change import ResourceChange

part = Part()

_MOST_APPS: Final = 500
_SHOWN: Final = 50
# These plans scale automatically, so callers cannot set the number of instances.
_AUTOMATIC: Final = {"dynamic": "Consumption", "flexconsumption": "Flex Consumption"}
_READ_ONLY: Final = frozenset({"systemData", "id", "name", "type"})

Instances = Annotated[int | None, Field(ge=1, le=100, description="Instances of the App Service plan")]
Sku = Annotated[str | None, Field(pattern=r"^[A-Za-z0-9]{2,12}$", description="Size of the plan, such as P1v3")]
Least = Annotated[int | None, Field(ge=0, le=1000, description="Minimum replicas of a container app")]
Most = Annotated[int | None, Field(ge=1, le=1000, description="Maximum replicas of a container app")]


@part.change(Access.WRITE, interrupts=True, harmless=(*OF_APP, "instances", "sku", "least", "most"), seconds=SECONDS)
async def scale_app(
    azure: Arm,
    app: AppName,
    instances: Instances = None,
    sku: Sku = None,
    least: Least = None,
    most: Most = None,
    subscription: Subscription = None,
) -> ResourceChange:
    """Scale the App Service plan of an app (affects all apps on the plan), or the replicas of a container app."""
    found = await _scalable(azure, app, subscription, of_plan=(instances, sku), of_app=(least, most))
    if found.is_container_app:
        return _replicas(azure, found, least, most)
    plan = await _plan_of(azure, found)
    apps = await azure.page(
        of_id("GET", ResourceId.of(str(plan.get("id"))), "/sites", version=PLAN.version), _MOST_APPS
    )
    return _resizing(azure, found, plan, apps, instances, sku)


async def _scalable(
    azure: Azure, named: str, subscription: str | None, *, of_plan: tuple[Any, ...], of_app: tuple[Any, ...]
) -> AzureApp:
    """Read the app, and check that the arguments fit its kind."""
    found = await app_now(azure, named, subscription)
    refuse_cluster(found, "scale")
    own, other = (of_app, of_plan) if found.is_container_app else (of_plan, of_app)
    if not any(one is not None for one in own) or any(one is not None for one in other):
        parameters = "`least` or `most`" if found.is_container_app else "`instances` or `sku`"
        raise Refusal(f"{found.id.name} is a {found.kind}. Pass {parameters} to scale the app.")
    return found


async def _plan_of(azure: Azure, app: AzureApp) -> Record:
    place = ResourceId.of(str(app.properties.get("serverFarmId")))
    if not PLAN.has(place):
        raise Refusal(f"{app.id.name} has no App Service plan.")
    plan = await read(azure, PLAN, place)
    kind = _AUTOMATIC.get(str(at(plan, "sku.tier")).lower())
    if kind:
        raise Refusal(
            f"{app.id.name} is on a {kind} plan, which scales automatically. You cannot set its number of instances."
        )
    return plan


def _resized(plan: Record, place: ResourceId, instances: int | None, sku: str | None) -> tuple[AzureRequest, Json]:
    """Return the request that resizes a plan. The request must contain the whole plan."""
    before = dict(plan.get("sku") or {})
    # Azure derives the tier and the family from the name of the size.
    named = {"name": sku} if sku else before
    size = {"name": str(named.get("name")), "capacity": instances or before.get("capacity")}
    body = {name: value for name, value in plan.items() if name not in _READ_ONLY}
    refuse_withheld(body)
    return of_id("PUT", place, body={**body, "sku": {**named, **size}}, version=PLAN.version), size


def _resizing(
    azure: Azure, app: AzureApp, plan: Record, apps: ListPage, instances: int | None, sku: str | None
) -> ResourceChange:
    place = ResourceId.of(str(plan.get("id")))
    request, size = _resized(plan, place, instances, sku)
    before = {"name": at(plan, "sku.name"), "capacity": at(plan, "sku.capacity")}
    words = {"name": "size", "capacity": "instances"}
    edits = [Edit(words[name], before[name], one) for name, one in size.items() if before[name] != one]

    cost = cost_change(plan, {**plan, "sku": {**(plan.get("sku") or {}), **size}})

    async def shown(known: Inspected) -> Preview:
        return Preview(
            what=f"App Service plan {place.name} of {app.id.name} is scaled",
            sentence=f"Scale the App Service plan {place.name} of {app.id.name}",
            facts={**known.facts(place), **_apps_in_words(apps)},
            edits=edits,
            effects=["All apps on the plan restart"] if sku else [],
            undo=_undo(app, before, size),
            destroys=False,
            cost=await cost_in_words(azure, [cost] if cost else []),
        )

    return ResourceChange(
        azure,
        request,
        on=place,
        before=dict(plan),
        judge=holding({"sku": size}, dict(plan)),
        call=show_call(app),
        shows=shown,
        answers={"plan": place.name, **size},
        is_no_op=not edits,
        reached=[{**app.record, "id": app.id.text}, *apps.items],
        reaches_more=apps.has_more or apps.left_out + apps.unreadable > 0,
    )


def _apps_in_words(apps: ListPage) -> dict[str, Fact]:
    names = sorted(str(one.get("name")) for one in apps.items)
    return {
        "apps on it": names[:_SHOWN],
        "number of apps": len(names) if not apps.has_more else f"more than {len(names)}",
    }


def _undo(app: AzureApp, before: Json, size: Json) -> Undo:
    """Return the call that restores the previous size."""
    sku = before["name"] if size["name"] != before["name"] else None
    instances = before["capacity"] if size["capacity"] != before["capacity"] else None
    return by_call("scale_app", app=app.id.text, sku=sku, instances=instances)


def _replicas(azure: Azure, app: AzureApp, least: int | None, most: int | None) -> ResourceChange:
    _refuse_empty_range(app, least, most)
    before = at(app.properties, "template.scale") or {}
    given = {"minReplicas": least, "maxReplicas": most}
    scale = {name: one for name, one in given.items() if one is not None}
    edits = [Edit(name, before.get(name), one) for name, one in scale.items() if one != before.get(name)]
    facts = {
        "rules": sorted(str(at(one, "name")) for one in before.get("rules") or ()),
        "revisions": at(app.properties, "configuration.activeRevisionsMode"),
        "newest revision": app.properties.get("latestRevisionName"),
    }

    def shown(known: Inspected) -> Preview:
        return app_preview(
            known,
            app,
            f"Replicas of container app {app.id.name}",
            facts,
            sentence=f"Change the replicas of the container app {app.id.name}",
            edits=edits,
            effects=[
                "Starts a new revision with the same image",
                *(["No replica runs while the app is idle, so the first request waits"] if least == 0 else []),
            ],
            undo=by_call(
                "scale_app",
                app=app.id.text,
                least=before.get("minReplicas") or 0,
                most=before.get("maxReplicas") or 10,
            ),
        )

    # Azure replaces all scale rules at once, so the request repeats the unchanged rules.
    refuse_withheld(before)
    body = {"properties": {"template": {"scale": {**before, **scale}}}}
    request = of_id("PATCH", app.id, body=body, version=app.sort.version)
    answers = {"app": app.id.name, "least": least, "most": most}
    judge = holding(body, dict(app.record))
    return app_change(azure, app, request, judge, shown, answers, is_no_op=not edits)


def _refuse_empty_range(app: AzureApp, least: int | None, most: int | None) -> None:
    before = at(app.properties, "template.scale") or {}
    lowest = before.get("minReplicas") or 0 if least is None else least
    highest = before.get("maxReplicas") or 10 if most is None else most
    if lowest > highest:
        raise Refusal(f"`least` ({lowest}) must not exceed `most` ({highest}).")
