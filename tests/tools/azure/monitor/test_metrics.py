"""Values of metrics come in few numbers, however many there are."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tests.fakes.azure.monitor.bakery import WEB
from tests.fakes.azure.service import FakeAzure
from tests.tools.azure.inventing import answered, asking, refused


@pytest.mark.parametrize(
    ("since", "every"),
    [("30m", "PT1M"), ("1h", "PT5M"), ("12h", "PT15M"), ("2d", "PT1H"), ("30d", "P1D"), ("93d", "P1D")],
)
async def test_an_interval_is_chosen_that_gives_few_values(since: str, every: str) -> None:
    async with asking(FakeAzure()) as caller:
        found = await answered(caller, "query_metrics", resource=WEB, names=["Requests"], since=since)
    assert found["every"] == every
    assert len(found["items"][0]["values"]) <= 93


async def test_many_series_are_shown_as_far_as_they_fit_and_the_rest_is_told() -> None:
    azure, now = FakeAzure(), datetime.now(UTC)
    for number in range(10):
        azure.monitor.metrics.add(WEB, "Requests", [(now - timedelta(hours=1), 1.0)], Instance=f"i{number}")
    async with asking(azure) as caller:
        result = await caller.call(
            "query_metrics", resource=WEB, names=["Requests"], since="16h", interval="1m", split_by="Instance"
        )
    told = result["structuredContent"]
    assert told["count"] == 2
    assert told["more"] == "Showing 2 of 10 series: narrow the request, or use a longer interval."
    assert len(result["content"][0]["text"]) < 15_000


async def test_a_metric_that_is_not_there_is_told_with_its_like() -> None:
    async with asking(FakeAzure()) as caller:
        told = await refused(caller, "query_metrics", resource=WEB, names=["requests", "ResponseTime"], since="1h")
    assert told.startswith("Metric 'ResponseTime' not found. Closest: HttpResponseTime")


async def test_only_some_values_of_a_dimension_are_meant() -> None:
    async with asking(FakeAzure()) as caller:
        one = {"resource": WEB, "names": ["Requests"], "since": "6h", "interval": "1h"}
        whole = await answered(caller, "query_metrics", **one)
        half = await answered(caller, "query_metrics", **one, dimensions={"Instance": "one"})
    assert half["items"][0]["of"] == {"instance": "one"}
    assert half["items"][0]["values"][0] * 2 == whole["items"][0]["values"][0]
