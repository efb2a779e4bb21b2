"""Shows the Advisor scores of subscriptions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from clients.azure.client import Azure
from clients.azure.ids import ResourceId
from clients.azure.messages import of_id
from mcp_server.declarations.toolset import Access, Part
from tools.azure.access import Arm
from tools.azure.shared.answers import Json, at, every, present
from tools.azure.shared.everywhere import answered_for_each
from tools.azure.shared.parameters import Subscription
from tools.azure.shared.scopes import whole

part = Part()

_VERSION: Final = "2023-01-01"
_MOST: Final = 20


@part.tool(Access.READ, harmless=("subscription",))
async def show_advisor_score(azure: Arm, subscription: Subscription = None) -> Json:
    """Show the Advisor score of a subscription by category, now and a month ago. 100 is best."""
    return await answered_for_each(azure, subscription, lambda scope: _scores(azure, scope))


async def _scores(azure: Azure, scope: ResourceId) -> Json:
    one = await whole(azure, scope.subscription, "Scores")
    found = await azure.page(of_id("GET", scope, "/providers/Microsoft.Advisor/advisorScore", version=_VERSION), _MOST)
    return every(map(_score, found.items), of=one.name or one.id)


def _score(record: Mapping[str, Any]) -> Json:
    last = at(record, "properties.lastRefreshedScore")
    months = [one for series in _series(record, "month") for one in at(series, "scoreHistory") or ()]
    days = sorted(str(at(one, "date")) for one in months)
    before = next((at(one, "score") for one in months if len(days) > 1 and str(at(one, "date")) == days[-2]), None)
    times = _times(at(last, "score"))
    return present(
        {
            "category": record.get("name"),
            "score": _percent(at(last, "score"), times),
            "a_month_ago": _percent(before, times),
            "could_rise_by": _percent(at(last, "potentialScoreIncrease"), times),
            "resources": at(last, "impactedResourceCount"),
            "of": str(at(last, "date") or "")[:10],
        }
    )


def _series(record: Mapping[str, Any], level: str) -> Iterator[Any]:
    return (one for one in at(record, "properties.timeSeries") or () if str(at(one, "aggregationLevel")) == level)


def _times(score: Any) -> int:
    """Return the factor that converts a score to percent. Azure scores some categories from 0 to 1, and other
    categories from 0 to 100.
    """
    return 100 if isinstance(score, int | float) and score <= 1 else 1


def _percent(share: Any, times: int) -> float | None:
    is_number = isinstance(share, int | float) and not isinstance(share, bool)
    return round(share * times, 1) if is_number else None
