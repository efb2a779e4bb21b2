"""Lists policy exemptions."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from clients.azure.messages import ListPage
from clients.azure.policies import exemptions
from mcp_server.declarations.toolset import Access, Part
from tools.azure.access import Arm
from tools.azure.policy.policy_scope import AnyResourceId, Records, pages, places, records, said, title
from tools.azure.shared.answers import Json, at, many, present
from tools.azure.shared.compact import shortened
from tools.azure.shared.parameters import AnyResourceGroup, MaxResults
from tools.azure.shared.scopes import SomeSubscriptions

part = Part()

_READ: Final = 1000
_LONGEST: Final = 300
_PLACE: Final = "/providers/microsoft.authorization/policyexemptions/"


@part.tool(Access.READ, harmless=("resource_group", "subscription"))
async def list_policy_exemptions(
    azure: Arm,
    resource_id: AnyResourceId = None,
    resource_group: AnyResourceGroup = None,
    subscription: SomeSubscriptions = None,
    max_results: MaxResults = 50,
) -> Json:
    """List exemptions from policies: assignment, reason, end date, and whether the exemption has expired."""
    scopes = await places(azure, subscription, resource_group, resource_id)
    found, reading = await pages(scopes, lambda scope: exemptions(azure, scope, _READ))
    distinct = list({str(one.get("id")).lower(): one for one in found.items}.values())
    named = await records(azure, (str(at(one, "properties.policyAssignmentId") or "") for one in distinct))
    items = sorted((_exemption(one, named) for one in distinct), key=lambda one: one.get("until", "9999"))
    short = shortened(items[:max_results], "of")
    page = ListPage(short["items"], found.has_more or len(items) > max_results, found.left_out)
    return many(page, **said(reading), idsBeginWith=short.get("idsBeginWith"))


def _exemption(record: Mapping[str, Any], named: Records) -> Json:
    until, place = str(at(record, "properties.expiresOn") or ""), str(record.get("id") or "")
    return present(
        {
            "name": str(at(record, "properties.displayName") or record.get("name")),
            "of": place[: place.lower().rfind(_PLACE)],
            "assignment": title(named, str(at(record, "properties.policyAssignmentId") or "")),
            "only_policies": at(record, "properties.policyDefinitionReferenceIds"),
            "category": at(record, "properties.exemptionCategory"),
            "until": until[:10],
            "expired": True if until and until < datetime.now(UTC).isoformat() else None,
            "why": str(at(record, "properties.description") or "")[:_LONGEST],
        }
    )
