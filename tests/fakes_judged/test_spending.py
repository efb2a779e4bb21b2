"""What Microsoft's clients make of the invented costs, budgets, advice, quotas and policies."""

from __future__ import annotations

import pytest

from tests.fakes_judged.judged import Judged, more_clients

pytestmark = [pytest.mark.anyio, more_clients]


async def test_costs_by_service_by_day_and_to_come(judged: Judged) -> None:
    found = await judged.by("spending.costs")
    assert found["columns"] == ["Cost", "ServiceName", "Currency"]
    assert "Azure App Service" in found["services"]
    assert (found["days"], isinstance(found["a day"], int)) == (8, True)
    assert found["states"] == ["Actual", "Forecast"]
    assert found["bad"] == [400, "BadRequest"]


async def test_budgets_and_how_far_they_are(judged: Judged) -> None:
    found = await judged.by("spending.budgets")
    assert (found["used"], found["currency"], found["thresholds"]) == ([0.92, 0.4], "EUR", [90, 100])
    assert found["missing"][0] == 404


async def test_recommendations(judged: Judged) -> None:
    judged.azure.advice.page_size = 2
    found = await judged.by("spending.advice")
    assert found == {"problems": ["Delete disks that nothing uses."], "saved": ["3416.40"], "all": 6}


async def test_quotas_and_their_use(judged: Judged) -> None:
    assert await judged.by("spending.quotas") == {"cores": [52, 56]}


async def test_what_complies_and_what_is_assigned(judged: Judged) -> None:
    judged.azure.compliance.page_size = 1
    found = await judged.by("spending.policies")
    assert found["resources"] == ["oven-control", "shop-orders"]
    assert (found["found"], found["summary"]) == ("false", [2, 2])
    assert found["assigned"] == ["Bakery baseline", "Machines name their cost center"]
    assert found["here"] == ["Bakery baseline"]
