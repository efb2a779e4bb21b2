"""Lists deployments and their operations, and explains why a deployment failed."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any, Final, Literal

from clients.azure.client import Azure
from clients.azure.ids import ResourceId
from clients.azure.messages import AzureRequest, ListPage, of_id
from clients.azure.resource_scopes import VERSION, quoted
from clients.azure.times import to_seconds
from clients.side_by_side import Foremost, side_by_side
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.access import Arm
from tools.azure.resource.deployment_failures import Failures
from tools.azure.resource.outputs import outputs_of
from tools.azure.resource.reasons import reasons_in
from tools.azure.shared.answers import Json, answer, at, many, present
from tools.azure.shared.compact import shortened
from tools.azure.shared.everywhere import in_each, only_one
from tools.azure.shared.next_calls import next_call
from tools.azure.shared.parameters import AnyResourceGroup, MaxResults, Subscription

part = Part()

DEPLOYMENTS: Final = "/providers/Microsoft.Resources/deployments"
_LOOKED_AT: Final = 200
_EACH: Final = 30
_MOST_GROUPS: Final = 200
_MOST_OPERATIONS: Final = 200
_SHOWN_OPERATIONS: Final = 40

State = Annotated[Literal["Failed", "Succeeded", "Running", "Canceled"] | None, Field(description="Only these")]


@part.tool(Access.READ)
async def list_azure_deployments(
    azure: Arm,
    resource_group: AnyResourceGroup = None,
    subscription: Subscription = None,
    state: State = None,
    max_results: MaxResults = 20,
) -> Json:
    """List template deployments (ARM, Bicep, azd) in a group, or in a subscription and its groups, newest first."""
    more: Json = {}

    async def read(scope: ResourceId) -> ListPage:
        page, said = await newest_deployments(azure, scope, state, max_results)
        more.update(said)
        return page

    found = await in_each(
        azure, subscription, read, max_results, _summary, group=resource_group, order=_when, descending=True
    )
    return many(found.page, **{**more, **present(found.said)})


@part.tool(Access.READ)
async def show_azure_deployment(
    azure: Arm,
    name: Annotated[
        str | None,
        Field(max_length=64, description="Default: the newest failed deployment, or the newest if none failed"),
    ] = None,
    resource_group: AnyResourceGroup = None,
    subscription: Subscription = None,
) -> Json:
    """Show a deployment and its operations; `why` explains failures, also in nested deployments.

    Without a group, `name` is a subscription deployment. If you omit both, all groups are searched.
    """
    if name:
        _, found = await only_one(azure, subscription, resource_group, lambda scope: _read(azure, scope, name))
    else:
        found = await _foremost(azure, subscription, resource_group)
    place = ResourceId.of(str(found.get("id")))
    operations = await azure.page(of_id("GET", place, "/operations", version=VERSION), _MOST_OPERATIONS)
    why = await Failures(azure).of(place, found, operations.items) if _state(found) == "Failed" else {}
    following = _events(found) if why else None
    return answer(**_about(found), outputs=outputs_of(found) or None, **why, **_operations(operations), next=following)


async def _read(azure: Azure, where: ResourceId, name: str) -> Mapping[str, Any]:
    return await azure.json(
        of_id("GET", where, f"{DEPLOYMENTS}/{{deployment}}", values={"deployment": name}, version=VERSION)
    )


async def _foremost(azure: Azure, subscription: str | None, group: str | None) -> Mapping[str, Any]:
    """Return the newest failed deployment or, if none failed, the newest deployment."""
    for state in ("Failed", None):
        newest = partial(_newest, azure, state)
        page = (await in_each(azure, subscription, newest, 1, group=group, order=_when, descending=True)).page
        if page.items:
            found: Mapping[str, Any] = page.items[0]
            return found
    raise Refusal("No accessible deployment found. Ask the user for the group or the subscription.")


async def _newest(azure: Azure, state: str | None, scope: ResourceId) -> ListPage:
    page, _ = await newest_deployments(azure, scope, state, 1)
    return page


async def deployments_at(azure: Azure, where: ResourceId, state: str | None, limit: int) -> ListPage:
    """Return the newest deployments to exactly this group or subscription.

    For a subscription, deployments to its groups are excluded.
    """
    page = await azure.page(_list_of(where, state), max(limit, _LOOKED_AT))
    newest = sorted(page.items, key=_when, reverse=True)
    return ListPage(newest[:limit], page.has_more or len(newest) > limit)


async def newest_deployments(azure: Azure, where: ResourceId, state: str | None, limit: int) -> tuple[ListPage, Json]:
    """Return the newest deployments in a group, or in a subscription and its groups.

    Also return which of the groups were read.
    """
    if where.group:
        return await deployments_at(azure, where, state, limit), {}
    groups = await azure.page(of_id("GET", where, "/resourcegroups", version=VERSION), _MOST_GROUPS)
    names = [str(group.get("name")) for group in groups.items]
    sources = {"the subscription": where} | {
        name: ResourceId.of(f"{where.text}/resourceGroups/{name}") for name in names
    }
    newest_of_all = Foremost(limit, _when)

    async def ask(source: ResourceId) -> None:
        newest_of_all.add(await azure.page(_list_of(source, state), _EACH))

    reading = await side_by_side(sources, ask)
    reading.refuse_if_none("places")
    more = "Not all groups were searched. Pass `resource_group`." if groups.has_more else None
    return newest_of_all.page, present({**reading.said("places"), "more": more})


def _list_of(where: ResourceId, state: str | None) -> AzureRequest:
    query = {"$filter": f"provisioningState eq {quoted(state)}"} if state else {}
    return of_id("GET", where, f"{DEPLOYMENTS}/", query=query, version=VERSION)


def _when(deployment: Mapping[str, Any]) -> str:
    return str(at(deployment, "properties.timestamp") or "")


def _state(deployment: Mapping[str, Any]) -> str:
    return str(at(deployment, "properties.provisioningState") or "")


def _summary(deployment: Mapping[str, Any]) -> Json:
    first = next(iter(reasons_in(at(deployment, "properties.error"))), None)
    return present(
        {
            "id": deployment.get("id"),
            "state": _state(deployment),
            "ended": to_seconds(_when(deployment)),
            "took": at(deployment, "properties.duration"),
            "error": first and first.code,
        }
    )


def _about(deployment: Mapping[str, Any]) -> Json:
    template = at(deployment, "properties.templateLink.uri") or at(deployment, "properties.templateLink.id")
    return {
        "name": deployment.get("name"),
        "id": deployment.get("id"),
        "state": _state(deployment),
        "ended": to_seconds(_when(deployment)),
        "took": at(deployment, "properties.duration"),
        "mode": at(deployment, "properties.mode"),
        "tags": deployment.get("tags"),
        "template": str(template).partition("?")[0] if template else None,
    }


def _events(deployment: Mapping[str, Any]) -> Json | None:
    """Return the call that shows all activity log events of a deployment."""
    correlation, began = at(deployment, "properties.correlationId"), _when(deployment)[: len("2026-01-31")]
    if not correlation or not began:
        return None
    place = ResourceId.of(str(deployment.get("id")))
    own = {"correlation_id": correlation, "since": began, "subscription": place.subscription}
    return next_call("monitor", "list_activity_log", **own)


def _operations(page: ListPage) -> Json:
    """Return the operations on each resource, failed operations first."""
    found = [_operation(one) for one in page.items if at(one, "properties.targetResource.id")]
    found.sort(key=lambda one: one.get("state") != "Failed")
    more = len(found) - _SHOWN_OPERATIONS
    short = shortened(found[:_SHOWN_OPERATIONS], "resource")
    return {
        "idsBeginWith": short.get("idsBeginWith"),
        "operations": short["items"],
        "moreOperations": f"{more}{' or more' if page.has_more else ''}" if more > 0 else None,
    }


def _operation(entry: Mapping[str, Any]) -> Json:
    return present(
        {
            "resource": at(entry, "properties.targetResource.id"),
            "did": at(entry, "properties.provisioningOperation"),
            "state": at(entry, "properties.provisioningState"),
            "took": at(entry, "properties.duration"),
        }
    )
