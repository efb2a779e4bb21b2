"""Shows deployment stacks: what each stack manages and denies, and the result of its last deployment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

from clients.azure.client import Azure
from clients.azure.ids import ResourceId
from clients.azure.messages import AzureRequest, of_id
from clients.messages import ListPage
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from tools.azure.access import Arm
from tools.azure.resource.reasons import reasons_in
from tools.azure.shared.answers import Json, answer, at, present
from tools.azure.shared.compact import shortened
from tools.azure.shared.everywhere import listed, only_one
from tools.azure.shared.inspecting import facts_of
from tools.azure.shared.parameters import AnyResourceGroup, MaxResults, Subscription

part = Part()

_VERSION: Final = "2024-03-01"
_STACKS: Final = "/providers/Microsoft.Resources/deploymentStacks"
_SHOWN: Final = 100

StackName = Annotated[str, Field(pattern=r"^[-\w.()]{1,90}$", description="Its name")]


@part.tool(Access.READ)
async def list_deployment_stacks(
    azure: Arm, resource_group: AnyResourceGroup = None, subscription: Subscription = None, max_results: MaxResults = 50
) -> Json:
    """List the deployment stacks of a group, or of a subscription (without its groups)."""

    async def read(scope: ResourceId) -> ListPage:
        return await azure.page(of_id("GET", scope, _STACKS, version=_VERSION), max_results)

    return await listed(azure, subscription, read, max_results, _summary, group=resource_group)


@part.tool(Access.READ)
async def show_deployment_stack(
    azure: Arm, name: StackName, resource_group: AnyResourceGroup = None, subscription: Subscription = None
) -> Json:
    """Show a deployment stack: what it manages and denies, what its deletion keeps or deletes, what failed.

    Without a group, `name` is a stack at subscription scope.
    """
    _, found = await only_one(azure, subscription, resource_group, lambda scope: _stack(azure, scope, name))
    return answer(**_about(found), **_managed(found))


async def _stack(azure: Azure, scope: ResourceId, name: str) -> Mapping[str, Any]:
    return await azure.json(stack_request("GET", stack_of(scope, name)))


def stack_of(where: ResourceId, name: str) -> ResourceId:
    return ResourceId.of(f"{where.text}{_STACKS}/{name}")


def stack_request(line: str, stack: ResourceId, **options: Any) -> AzureRequest:
    return of_id(line, stack, version=_VERSION, **options)


def records_in(found: Mapping[str, Any], name: str) -> Sequence[Mapping[str, Any]]:
    """Return the entries of a list in a stack's record, for example `resources`."""
    entries = at(found, f"properties.{name}")
    return [one for one in entries if isinstance(one, Mapping)] if isinstance(entries, list) else []


def _summary(found: Mapping[str, Any]) -> Json:
    return present(
        {
            "name": found.get("name"),
            "id": found.get("id"),
            "state": at(found, "properties.provisioningState"),
            "resources": len(records_in(found, "resources")),
            "deny": at(found, "properties.denySettings.mode"),
            "changed": facts_of(found).get("changed"),
        }
    )


def _about(found: Mapping[str, Any]) -> Json:
    outputs = at(found, "properties.outputs")
    return {
        "name": found.get("name"),
        "id": found.get("id"),
        "state": at(found, "properties.provisioningState"),
        "description": at(found, "properties.description"),
        "created": facts_of(found).get("created"),
        "changed": facts_of(found).get("changed"),
        "last_deployment": at(found, "properties.deploymentId"),
        "took": at(found, "properties.duration"),
        "no_longer_managed": at(found, "properties.actionOnUnmanage"),
        "deny": at(found, "properties.denySettings"),
        # Only the names of outputs are shown, because their values may be secrets.
        "outputs": sorted(outputs) if isinstance(outputs, Mapping) else None,
        "why": _reasons(at(found, "properties.error")),
    }


def _managed(found: Mapping[str, Any]) -> Json:
    """Return what a stack manages, and what its last deployment detached, deleted or failed to change."""
    resources = records_in(found, "resources")
    short = shortened(map(_resource, resources[:_SHOWN]), "id")
    failed = [
        present({"id": one.get("id"), "why": _reasons(one.get("error"))})
        for one in records_in(found, "failedResources")
    ]
    return {
        "idsBeginWith": short.get("idsBeginWith"),
        "resources": short["items"],
        "moreResources": max(len(resources) - _SHOWN, 0) or None,
        "failed": failed[:_SHOWN],
        "detached": [one.get("id") for one in records_in(found, "detachedResources")][:_SHOWN],
        "deleted": [one.get("id") for one in records_in(found, "deletedResources")][:_SHOWN],
    }


def _resource(entry: Mapping[str, Any]) -> Json:
    return present({"id": entry.get("id"), "status": entry.get("status"), "deny": entry.get("denyStatus")})


def _reasons(error: Any) -> list[Json]:
    return [present({"code": one.code, "says": one.message, "what": one.target}) for one in reasons_in(error)]
