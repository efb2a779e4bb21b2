"""Determines why a retirement no longer affects the resources that a work item lists: they were deleted or fixed."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from clients.azure.client import Azure
from clients.azure.failures import AzureRefusal
from clients.azure.ids import ResourceId
from clients.azure.messages import of_id
from clients.side_by_side import side_by_side
from refusal import Refusal
from retirements.planning import Fate
from retirements.scope import Scope

# The maximum number of resources to check. The number of resources is limited because each check requires a request.
# The fate of further resources stays unknown.
MOST: Final = 100
# The error codes for deleted resources. Other 404 errors mean that Azure does not know the resource type or the API
# version.
_GONE: Final = frozenset({"ResourceNotFound", "ResourceGroupNotFound", "ParentResourceNotFound", "NotFound"})


async def fates_of(azure: Azure, scope: Scope, resources: Collection[str]) -> Mapping[str, Fate]:
    """Return the fate of each resource: it was deleted, or it exists and is no longer affected. The fate of resources
    that the caller cannot see is unknown.
    """
    found: dict[str, Fate] = {}
    within = {one: one for one in sorted(resources)[:MOST] if scope.has(one)}

    async def ask(resource: str) -> None:
        found[resource] = await _fate(azure, resource)

    await side_by_side(within, ask)
    return found


async def _fate(azure: Azure, resource: str) -> Fate:
    try:
        await azure.send(of_id("GET", ResourceId.of(resource)))
    except AzureRefusal as refused:
        return Fate.GONE if refused.code in _GONE else Fate.UNSEEN
    except Refusal:
        return Fate.UNSEEN
    return Fate.FIXED
