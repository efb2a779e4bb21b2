"""Explains why no costs have a tag: no resource has the tag, or the resources with the tag cost nothing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from clients.azure.client import Azure
from clients.azure.cost.reading import Costs
from clients.azure.messages import AzureRequest
from clients.azure.resource_scopes import VERSION
from refusal import Refusal
from tools.azure.cost.cost_scope import CostScope

_MOST_TAGS: Final = 1000
_SHOWN: Final = 30
_MOST_SUBSCRIPTIONS: Final = 10


async def why_nothing_is_tagged(azure: Azure, asked: CostScope, tag: str | None, found: Iterable[Costs]) -> str:
    """Return the reason why no costs have the tag, or an empty string if some costs have the tag."""
    name = (tag or "").partition("=")[0].strip()
    if not name or any(row.name for costs in found for row in costs.rows):
        return ""
    subscriptions = dict.fromkeys(scope.subscription for scope in asked.scopes.values())
    try:
        known = {key for one in list(subscriptions)[:_MOST_SUBSCRIPTIONS] for key in await _tags_of(azure, one)}
    except Refusal:
        return f"No costs have the tag {name!r}. Use list_azure_tags to list tags."
    if name.lower() in {one.lower() for one in known}:
        return f"Resources have the tag {name!r}, but they cost nothing in this period."
    names = sorted(known, key=str.lower)
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"No resource has the tag {name!r}. Tags in use: {', '.join(names[:_SHOWN]) or 'none'}{more}."


async def _tags_of(azure: Azure, subscription: str) -> list[str]:
    request = AzureRequest(
        "GET /subscriptions/{subscription}/tagNames", {"subscription": subscription}, version=VERSION
    )
    page = await azure.page(request, _MOST_TAGS)
    return [str(one.get("tagName")) for one in page.items if one.get("tagName")]
