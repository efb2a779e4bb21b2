"""Lists retirements and the resources that they affect, as Advisor and Service Health report them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Final

from clients.azure.graph import text_of
from clients.azure.resource_scopes import names_of
from clients.messages import ListPage
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from retirements.advised import Advised, AdvisedRows
from tools.azure.access import Arm
from tools.azure.shared.answers import Json, many, present
from tools.azure.shared.compact import shortened
from tools.azure.shared.parameters import AnyResourceGroup, MaxResults, Subscriptions

part = Part()

_MOST_RESOURCES: Final = 25
_INCOMPLETE: Final = (
    "Advisor and Service Health do not report all retirements and affected resources, so this list may be incomplete."
)
_ANNOUNCED: Final = "search_azure_updates finds announced retirements."


@part.tool(Access.READ, harmless=("subscription", "resource_group"))
async def list_retiring_resources(
    azure: Arm,
    resource: Annotated[str | None, Field(min_length=1, max_length=2048, description="Part of id or type")] = None,
    resource_group: AnyResourceGroup = None,
    subscription: Subscriptions = None,
    max_results: MaxResults = 30,
) -> Json:
    """List Azure retirements that affect your resources, soonest first: date, tracking ids, affected resources.

    search_azure_updates finds all announced retirements.
    """
    asked = await azure.asked_subscriptions(subscription)
    ids = [one.id for one in asked]
    narrowing = [f"where resourceGroup =~ {text_of(resource_group)}"] if resource_group else []
    known = AdvisedRows()
    await known.read_advisor(azure, ids, *narrowing)
    await known.read_health(azure, ids)
    found = known.retirements
    within = [one.within(resource_group) for one in found] if resource_group else found
    matches = [one for one in within if _matches(one, resource, resource_group)]
    short = shortened(({"resource": one} for item in matches for one in item.resources.values()), "resource")
    beginning = short.get("idsBeginWith", "")
    has_more = known.is_cut or len(matches) > max_results
    page = ListPage([_shown(one, beginning) for one in matches[:max_results]], has_more)
    note = _INCOMPLETE if matches else f"{_INCOMPLETE} {_ANNOUNCED}"
    return many(page, asked=names_of(asked), idsBeginWith=beginning or None, note=note)


def _matches(one: Advised, resource: str | None, group: str | None) -> bool:
    """Check whether a retirement matches the filters. Without filters, all retirements match, even those that affect no
    known resource.
    """
    part_of_id = (resource or "").strip().lower()
    within = f"/resourcegroups/{group.lower()}/" if group else ""
    if not part_of_id and not within:
        return True
    return any(part_of_id in own and within in own for own in one.resources)


def _shown(one: Advised, beginning: str) -> Json:
    ids = [own[len(beginning) :] for own in one.resources.values()]
    is_past = bool(one.due) and one.due < datetime.now(UTC).date().isoformat()
    return present(
        {
            "retires": one.name,
            "on": one.due,
            "past": is_past or None,
            "title": one.title if one.feature and one.title != one.feature else None,
            "tracking_ids": sorted(one.tracking),
            "resources": ids[:_MOST_RESOURCES],
            "more_resources": len(ids) - _MOST_RESOURCES if len(ids) > _MOST_RESOURCES else None,
            "says": sorted(one.sources),
        }
    )
