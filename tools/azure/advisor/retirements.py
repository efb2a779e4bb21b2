"""What Azure retires, and which resources that touches, as Advisor and Service Health know it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Final

from pydantic import Field

from clients.azure.graph import text_of
from clients.azure.resource_scopes import told
from clients.messages import ListPage
from mcp_server.declarations.toolset import Access, Part
from retirements.advised import Advised, AdvisedRows
from tools.azure.access import Arm
from tools.azure.shared.answers import Json, many, present
from tools.azure.shared.compact import shortened
from tools.azure.shared.parameters import AnyResourceGroup, MaxResults, Subscriptions

part = Part()

_MOST_RESOURCES: Final = 25
_NO_PROOF: Final = (
    "What Advisor and Service Health know: neither knows all retirements nor all resources, so that something is not"
    " here is no proof that it stays."
)
_ELSEWHERE: Final = "search_azure_updates finds retirements that were announced."


@part.tool(Access.READ, harmless=("subscription", "resource_group"))
async def list_retiring_resources(
    azure: Arm,
    resource: Annotated[str | None, Field(min_length=1, max_length=2048, description="Id, type or a part")] = None,
    resource_group: AnyResourceGroup = None,
    subscription: Subscriptions = None,
    max_results: MaxResults = 30,
) -> Json:
    """List what Azure will retire that touches your resources, soonest first: date, tracking ids, the resources.

    search_azure_updates tells what was announced, also of what touches nobody here.
    """
    asked = await azure.asked_subscriptions(subscription)
    ids = [one.id for one in asked]
    narrowing = [f"where resourceGroup =~ {text_of(resource_group)}"] if resource_group else []
    known = AdvisedRows()
    await known.read_advisor(azure, ids, *narrowing)
    await known.read_health(azure, ids)
    found = known.retirements
    within = [one.within(resource_group) for one in found] if resource_group else found
    wanted = [one for one in within if _is_meant(one, resource, resource_group)]
    short = shortened(({"resource": one} for item in wanted for one in item.resources.values()), "resource")
    beginning = short.get("idsBeginWith", "")
    has_more = known.is_cut or len(wanted) > max_results
    page = ListPage([_shown(one, beginning) for one in wanted[:max_results]], has_more)
    note = _NO_PROOF if wanted else f"{_NO_PROOF} {_ELSEWHERE}"
    return many(page, asked=told(asked), idsBeginWith=beginning or None, note=note)


def _is_meant(one: Advised, resource: str | None, group: str | None) -> bool:
    """What touches nothing that is known may touch anything, unless somebody asks for something."""
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
