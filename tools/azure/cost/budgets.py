"""Lists budgets, and how much of each budget has been spent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Final

from clients.azure.client import Azure
from clients.azure.ids import ResourceId
from clients.azure.messages import ListPage, of_id
from clients.azure.resource_scopes import VERSION as GROUPS_VERSION
from clients.azure.resource_scopes import type_and_name
from clients.side_by_side import side_by_side
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from tools.azure.access import Arm
from tools.azure.shared.answers import Json, at, many, present
from tools.azure.shared.parameters import AnyResourceGroup, MaxResults
from tools.azure.shared.scopes import SomeSubscriptions, scopes_of, short_scope

part = Part()

_VERSION: Final = "2023-11-01"
_MOST: Final = 1000
_FORECASTED: Final = "forecasted"
_WITHOUT_GROUPS: Final = "For budgets of resource groups, pass resource_group or include_groups."
_NOTHING: Final = "No budgets found. Use forecast_costs for expected costs."

IncludeGroups = Annotated[bool, Field(description="Include groups' budgets")]


@part.tool(Access.READ, harmless=("subscription", "resource_group", "include_groups"))
async def list_budgets(
    azure: Arm,
    resource_group: AnyResourceGroup = None,
    include_groups: IncludeGroups = False,
    subscription: SomeSubscriptions = None,
    max_results: MaxResults = 50,
) -> Json:
    """List budgets, most used first: spending, forecast, thresholds and whom they notify."""
    scopes = dict(await scopes_of(azure, subscription, resource_group))
    if include_groups and not resource_group:
        for name, scope in [*scopes.items()]:
            scopes |= await _groups_of(azure, name, scope)
    found: dict[str, Json] = {}
    left_out = 0

    async def ask(name: str) -> None:
        nonlocal left_out
        page = await azure.page(of_id("GET", scopes[name], _BUDGETS, version=_VERSION), _MOST)
        left_out += page.left_out
        found.update({str(one.get("id")).lower(): _budget(one) for one in page.items})

    reading = await side_by_side({name: name for name in scopes}, ask)
    reading.refuse_if_none("scopes")
    items = sorted(found.values(), key=lambda one: one.get("used_percent", 0.0), reverse=True)
    is_of_subscriptions = not resource_group and not include_groups and not all(one.group for one in scopes.values())
    notes = [*([] if items else [_NOTHING]), *([_WITHOUT_GROUPS] if is_of_subscriptions else [])]
    coverage = reading.said("scopes") if len(scopes) > 1 else {}
    page = ListPage(items[:max_results], len(items) > max_results, left_out)
    return many(page, note=" ".join(notes), **coverage)


_BUDGETS: Final = "/providers/Microsoft.Consumption/budgets"


async def _groups_of(azure: Azure, name: str, scope: ResourceId) -> Mapping[str, ResourceId]:
    if scope.group:
        return {}
    groups = await azure.page(of_id("GET", scope, "/resourcegroups", version=GROUPS_VERSION), _MOST)
    names = [str(one["name"]) for one in groups.items if one.get("name")]
    return {f"{name}/{one}": ResourceId((*scope.segments, "resourceGroups", one)) for one in names}


def _budget(record: Mapping[str, Any]) -> Json:
    amount = _number(at(record, "properties.amount"))
    used, expected = (_number(at(record, f"properties.{name}.amount")) for name in ("currentSpend", "forecastSpend"))
    return present(
        {
            "name": record.get("name"),
            "of": short_scope(str(record.get("id") or "").partition("/providers/")[0]),
            "amount": amount,
            "currency": at(record, "properties.currentSpend.unit"),
            "per": str(at(record, "properties.timeGrain") or "").lower(),
            "used": used,
            "used_percent": _percent(used, amount),
            "forecast": expected,
            "forecast_percent": _percent(expected, amount),
            "until": str(at(record, "properties.timePeriod.endDate") or "")[:10],
            "counts_only": _filter(at(record, "properties.filter")),
            "thresholds": list(_thresholds(at(record, "properties.notifications"), used, expected, amount)),
        }
    )


def _thresholds(found: Any, used: float | None, expected: float | None, amount: float | None) -> Iterable[Json]:
    for entry in found.values() if isinstance(found, Mapping) else ():
        kind = str(at(entry, "thresholdType") or "Actual").lower()
        percent, share = _number(at(entry, "threshold")), _percent(expected if kind == _FORECASTED else used, amount)
        yield present(
            {
                "percent": percent,
                "of": "forecast" if kind == _FORECASTED else "used",
                "passed": None if percent is None or share is None else share >= percent,
                "tells": [*_notified(entry)] or "nobody",
                "off": None if at(entry, "enabled") is not False else True,
            }
        )


def _notified(entry: Any) -> Iterable[str]:
    yield from map(str, at(entry, "contactEmails") or ())
    yield from (f"role {one}" for one in at(entry, "contactRoles") or ())
    yield from (f"action group {type_and_name(str(one))[1]}" for one in at(entry, "contactGroups") or ())


def _filter(found: Any) -> list[str]:
    """Describe the filter that determines which costs count toward a budget."""
    if not isinstance(found, Mapping):
        return []
    parts = found.get("and") if isinstance(found.get("and"), list) else [found]
    texts = (_condition(kind, one.get(kind)) for one in parts or () for kind in ("dimensions", "tags") if at(one, kind))
    return [one for one in texts if one]


def _condition(kind: str, found: Any) -> str:
    if not isinstance(found, Mapping):
        return ""
    values = ", ".join(str(one) for one in found.get("values") or ())
    return f"{'tag ' if kind == 'tags' else ''}{found.get('name')}: {values}"[:500]


def _number(value: Any) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return round(float(value), 2) if is_number else None


def _percent(part_of: float | None, amount: float | None) -> float | None:
    return None if part_of is None or not amount else round(part_of / amount * 100, 1)
