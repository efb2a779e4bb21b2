"""Lists recommendations of Azure Advisor."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from clients.azure.client import Azure, Subscription
from clients.azure.messages import ListPage, of_id
from clients.azure.resource_scopes import names_of, scope_of
from clients.side_by_side import side_by_side
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from tools.azure.access import Arm
from tools.azure.shared.answers import Json, at, many, present
from tools.azure.shared.compact import shortened
from tools.azure.shared.parameters import AnyResourceGroup, MaxResults, Subscriptions

part = Part()

_VERSION: Final = "2023-01-01"
_LINE: Final = "/providers/Microsoft.Advisor/recommendations"
# The maximum number of recommendations to read in each subscription. The answer contains only the number of
# recommendations beyond this maximum.
_MOST: Final = 2000
_LONGEST: Final = 400
_IMPACTS: Final = {"high": 0, "medium": 1, "low": 2}
_CATEGORIES: Final = {
    "cost": "Cost",
    "security": "Security",
    "reliability": "HighAvailability",
    "operational_excellence": "OperationalExcellence",
    "performance": "Performance",
}
_NOTE: Final = "Advisor checks once a day and does not find every problem."

Category = Literal["cost", "security", "reliability", "operational_excellence", "performance"]


@part.tool(Access.READ, harmless=("category", "impact", "resource_group", "subscription"))
async def list_advisor_recommendations(
    azure: Arm,
    category: Annotated[Category | None, Field(description="Only this")] = None,
    impact: Annotated[Literal["high", "medium", "low"] | None, Field(description="At least this")] = None,
    resource: Annotated[str | None, Field(min_length=1, max_length=2048, description="Id or part of it")] = None,
    resource_group: AnyResourceGroup = None,
    subscription: Subscriptions = None,
    max_results: MaxResults = 30,
) -> Json:
    """List Azure Advisor recommendations by impact and savings: what is wrong, what to do, for which resource."""
    asked = await azure.asked_subscriptions(subscription)
    found: list[Mapping[str, Any]] = []
    left_out, has_more = 0, False

    async def ask(one: Subscription) -> None:
        nonlocal left_out, has_more
        page = await _recommended(azure, one, category, resource_group)
        found.extend(page.items)
        left_out, has_more = left_out + page.left_out, has_more or page.has_more

    reading = await side_by_side({one.id: one for one in asked}, ask)
    reading.refuse_if_none("subscriptions")
    matches = sorted((one for one in found if _matches(one, impact, resource)), key=_rank)
    short = shortened(map(_shown, matches[:max_results]), "resource")
    page = ListPage(short["items"], has_more or len(matches) > max_results, left_out)
    return many(
        page,
        asked=names_of(asked),
        total=len(matches) if len(matches) > max_results else None,
        by_category=dict(Counter(_category(one) for one in matches)),
        savings=_savings(matches),
        **(reading.said("subscriptions") if len(asked) > 1 else {}),
        idsBeginWith=short.get("idsBeginWith"),
        note=_NOTE,
    )


async def _recommended(azure: Azure, one: Subscription, category: str | None, group: str | None) -> ListPage:
    tests = [
        *([f"Category eq '{_CATEGORIES[category]}'"] if category else []),
        *([f"ResourceGroup eq '{group.replace(chr(39), chr(39) * 2)}'"] if group else []),
    ]
    query = {"$filter": " and ".join(tests)} if tests else {}
    return await azure.page(of_id("GET", scope_of(one, None), _LINE, query=query, version=_VERSION), _MOST)


def _matches(record: Mapping[str, Any], impact: str | None, resource: str | None) -> bool:
    has_impact = impact is None or _impact(record) <= _IMPACTS[impact]
    return has_impact and (resource or "").strip().lower() in _resource(record).lower()


def _impact(record: Mapping[str, Any]) -> int:
    return _IMPACTS.get(str(at(record, "properties.impact")).lower(), len(_IMPACTS))


def _rank(record: Mapping[str, Any]) -> tuple[int, float, str]:
    amount = _saved(record)
    return _impact(record), -(amount or 0.0), _resource(record).lower()


def _resource(record: Mapping[str, Any]) -> str:
    """Return the id of the affected resource. In older records, this id occurs only in the recommendation's own id."""
    own = at(record, "properties.resourceMetadata.resourceId")
    return str(own or str(record.get("id") or "").rpartition("/providers/Microsoft.Advisor/")[0])


def _category(record: Mapping[str, Any]) -> str:
    category = str(at(record, "properties.category") or "")
    return next((name for name, azure_name in _CATEGORIES.items() if azure_name == category), category)


def _saved(record: Mapping[str, Any]) -> float | None:
    """Return the estimated savings per year, or None if there is no estimate."""
    for name, times in (("annualSavingsAmount", 1), ("savingsAmount", 12)):
        try:
            return round(float(at(record, f"properties.extendedProperties.{name}")) * times, 2)
        except (TypeError, ValueError):
            continue
    return None


def _currency(record: Mapping[str, Any]) -> str:
    return str(at(record, "properties.extendedProperties.savingsCurrency") or "")


def _savings(records: list[Mapping[str, Any]]) -> list[str]:
    """Return the total savings in each currency."""
    sums: dict[str, float] = {}
    for one in records:
        sums[_currency(one)] = sums.get(_currency(one), 0.0) + (_saved(one) or 0.0)
    return [f"{amount:.2f} {currency} a year".replace("  ", " ") for currency, amount in sums.items() if amount]


def _shown(record: Mapping[str, Any]) -> Json:
    problem, solution = (str(at(record, f"properties.shortDescription.{one}") or "") for one in ("problem", "solution"))
    saved = _saved(record)
    return present(
        {
            "category": _category(record),
            "impact": str(at(record, "properties.impact") or "").lower(),
            "problem": problem[:_LONGEST],
            "do": solution[:_LONGEST] if solution != problem else None,
            "benefit": str(at(record, "properties.potentialBenefits") or "")[:_LONGEST],
            "resource": _resource(record),
            "saves": f"{saved:.2f} {_currency(record)} a year" if saved else None,
            "more": at(record, "properties.learnMoreLink"),
            "updated": str(at(record, "properties.lastUpdated") or "")[:10],
        }
    )
