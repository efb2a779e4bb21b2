"""Reads violations, assignments and exemptions of Azure Policy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from clients.azure.client import Azure
from clients.azure.ids import ResourceId
from clients.azure.messages import ListPage, of_id

_STATES_VERSION: Final = "2019-10-01"
_VERSION: Final = "2023-04-01"
_EXEMPTIONS_VERSION: Final = "2022-07-01-preview"
_STATES: Final = "/providers/Microsoft.PolicyInsights/policyStates/latest"
_PLACE: Final = "/providers/Microsoft.Authorization"
_SECONDS_DEFINITIONS_ARE_KEPT: Final = 3600.0
_FAILING: Final = "complianceState eq 'NonCompliant'"


async def violations(azure: Azure, scope: ResourceId, limit: int, *tests: str) -> ListPage:
    """Violations by resource and policy. For a single resource, each violation includes its reasons."""
    expand = {"$expand": "PolicyEvaluationDetails"} if scope.namespace else {}
    return await _states(azure, scope, limit, {"$filter": " and ".join([_FAILING, *tests]), **expand})


async def counted(azure: Azure, scope: ResourceId, limit: int, by: str, *tests: str) -> ListPage:
    """The number of violations for each combination of the properties in `by`."""
    within = " and ".join([_FAILING, *tests])
    return await _states(
        azure, scope, limit, {"$apply": f"filter({within})/groupby(({by}), aggregate($count as found))"}
    )


async def summary(azure: Azure, scope: ResourceId) -> Mapping[str, Any]:
    """Count all resources and policies, and count the noncompliant resources and policies."""
    request = of_id("POST", scope, f"{_STATES}/summarize", is_read=True, version=_STATES_VERSION)
    found = await azure.page(request, 1)
    results = found.items[0].get("results") if found.items else None
    return results if isinstance(results, Mapping) else {}


async def assignments(azure: Azure, scope: ResourceId, limit: int) -> ListPage:
    """The assignments that apply to a scope, including inherited ones.

    For a subscription, the list includes assignments to its groups and resources.
    """
    query = {"$filter": "atScope()"} if scope.group else {}
    return await azure.page(of_id("GET", scope, f"{_PLACE}/policyAssignments", query=query, version=_VERSION), limit)


async def exemptions(azure: Azure, scope: ResourceId, limit: int) -> ListPage:
    request = of_id("GET", scope, f"{_PLACE}/policyExemptions", version=_EXEMPTIONS_VERSION)
    return await azure.page(request, limit)


async def record_of(azure: Azure, place: ResourceId) -> Mapping[str, Any]:
    """A policy definition or an assignment. Definitions and assignments are cached for an hour."""

    async def read() -> Mapping[str, Any]:
        return await azure.json(of_id("GET", place, version=_VERSION))

    return await azure.lately(("policy", place.key), read, at_most=_SECONDS_DEFINITIONS_ARE_KEPT)


async def _states(azure: Azure, scope: ResourceId, limit: int, query: Mapping[str, str]) -> ListPage:
    asked = {**query, "$top": limit + 1}
    request = of_id("POST", scope, f"{_STATES}/queryResults", query=asked, is_read=True, version=_STATES_VERSION)
    found = await azure.page(request, limit + 1)
    return ListPage(found.items[:limit], found.has_more or len(found.items) > limit, found.left_out)
