"""Reads the size of a Cosmos DB account, database or container from its metrics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from clients.azure.client import Azure
from clients.azure.ids import ResourceId
from clients.azure.metrics import MetricQuery, values
from clients.azure.spans import TimeSpan

_ITEMS: Final = "DocumentCount"
_BYTES: Final = "DataUsage"
_DATABASE: Final = "DatabaseName"
_CONTAINER: Final = "CollectionName"


@dataclass(frozen=True, slots=True)
class StoredSize:
    """The size and number of stored documents.

    A value is None if the metric has no values, for example for a new account.
    """

    items: int | None
    bytes: int | None


async def size_of(
    azure: Azure, account: ResourceId, span: TimeSpan, database: str = "", container: str = ""
) -> StoredSize:
    """The last measurements in a time span: the number of items, and their size."""
    given = {_DATABASE: database, _CONTAINER: container}
    series = MetricQuery(
        names=[_ITEMS, _BYTES],
        span=span,
        interval="PT5M",
        aggregations=["Total"],
        dimensions={name: one for name, one in given.items() if one},
    )
    found = await values(azure, account, series)
    metrics = {str((one.get("name") or {}).get("value")): _last(one) for one in found.get("value") or ()}
    return StoredSize(metrics.get(_ITEMS), metrics.get(_BYTES))


def _last(metric: Mapping[str, Any]) -> int | None:
    """The latest value of a metric, added up over all of its time series."""
    by_moment: dict[str, float] = {}
    for series in metric.get("timeseries") or ():
        for point in series.get("data") or ():
            if isinstance(point.get("total"), int | float):
                at = str(point.get("timeStamp"))
                by_moment[at] = by_moment.get(at, 0) + point["total"]
    return int(by_moment[max(by_moment)]) if by_moment else None
