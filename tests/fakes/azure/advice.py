"""Advisor: the same recommendations that Resource Graph has, and scores."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from tests.fakes.azure.access import Access
from tests.fakes.azure.estate import Estate, subscription_of
from tests.fakes.azure.routes import Asked, AzureError, Json, Route, paged

_HERE: Final = "/subscriptions/{subscription}/providers/Microsoft.Advisor"
_FILTER: Final = re.compile(r"(Category|ResourceGroup) eq '([^']*)'", re.IGNORECASE)
_SCORES: Final = {"Cost": 0.62, "Security": 0.71, "HighAvailability": 0.8, "Performance": 0.95, "Advisor": 0.74}


@dataclass
class Advice:
    estate: Estate
    access: Access
    page_size: int = 100

    @property
    def routes(self) -> list[Route]:
        return [
            Route(f"GET {_HERE}/recommendations", self._list, type="Microsoft.Advisor/recommendations"),
            Route(f"GET {_HERE}/advisorScore", self._scores, type="Microsoft.Advisor/advisorScore"),
        ]

    def _list(self, asked: Asked) -> Json:
        subscription, written = asked.places["subscription"], asked.query.get("$filter", "")
        self.access.demand_below(asked, "Microsoft.Advisor/recommendations/read", f"/subscriptions/{subscription}")
        tests = {name.lower(): value.lower() for name, value in _FILTER.findall(written)}
        if re.sub(r"\s|and", "", _FILTER.sub("", written)):
            raise AzureError(400, "BadRequest", f"The filter '{written}' is not valid.")
        rows = [one for one in self.estate.rows["advisorresources"] if one["type"].endswith("/recommendations")]
        found = [
            {**one, "properties": {**one["properties"], "lastUpdated": "2026-11-21T06:12:08.1234567Z"}}
            for one in rows
            if subscription_of(one["id"]) == subscription.lower() and _is_meant(one, tests)
        ]
        return paged(asked, found, self.page_size)

    def _scores(self, asked: Asked) -> Json:
        scope = f"/subscriptions/{asked.places['subscription']}"
        self.access.demand(asked, "Microsoft.Advisor/advisorScore/read", scope)
        return {"value": [_score(scope, name, score) for name, score in _SCORES.items()]}


def _is_meant(row: Json, tests: dict[str, str]) -> bool:
    told = {"category": row["properties"]["category"].lower(), "resourcegroup": row["resourceGroup"].lower()}
    return all(told[name] == value for name, value in tests.items())


def _score(scope: str, name: str, score: float) -> Json:
    def at(date: str, value: float) -> Json:
        return {"date": date, "score": value, "consumptionUnits": 12.2, "impactedResourceCount": 2}

    history = [at("2026-11-21T00:00:00Z", score), at("2026-10-31T00:00:00Z", round(score - 0.05, 2))]
    return {
        "id": f"{scope}/providers/Microsoft.Advisor/advisorScore/{name}",
        "name": name,
        "type": "Microsoft.Advisor/advisorScore",
        "properties": {
            "lastRefreshedScore": {**at("2026-11-21T00:00:00Z", score), "potentialScoreIncrease": round(1 - score, 2)},
            "timeSeries": [{"aggregationLevel": "month", "scoreHistory": history}],
        },
    }
