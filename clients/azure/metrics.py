"""Reads the metrics of a resource, and their values over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from clients.azure.client import Azure
from clients.azure.ids import ResourceId
from clients.azure.messages import ListPage, of_id
from clients.azure.spans import TimeSpan

_VERSION: Final = "2024-02-01"
_MOST_DEFINITIONS: Final = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricQuery:
    """A query for metric values. If no aggregation is set, each metric uses its primary aggregation.

    The result has a separate time series for each value of the dimensions in `split_by`. `dimensions` maps the name of
    each filtered dimension to its required value.
    """

    names: Sequence[str]
    span: TimeSpan
    interval: str
    aggregations: Sequence[str] = ()
    split_by: Sequence[str] = ()
    dimensions: Mapping[str, str] | None = None
    namespace: str | None = None
    most: int = 10

    @property
    def query(self) -> Mapping[str, Any]:
        given = [f"{name} eq '{_quoted(value)}'" for name, value in (self.dimensions or {}).items()]
        tests = [*given, *(f"{name} eq '*'" for name in self.split_by)]
        of_dimensions = {"$filter": " and ".join(tests), "top": self.most} if tests else {}
        return {
            "metricnames": ",".join(_escaped(name) for name in self.names),
            "timespan": self.span.text,
            "interval": self.interval,
            "aggregation": ",".join(self.aggregations) or None,
            "metricnamespace": self.namespace,
            # If a metric does not support this interval, Azure uses the next longer interval.
            "AutoAdjustTimegrain": "true",
            **of_dimensions,
        }


async def definitions(azure: Azure, resource: ResourceId, namespace: str | None = None) -> ListPage:
    """The metrics that are available for a resource."""
    path, query = "/providers/Microsoft.Insights/metricDefinitions", {"metricnamespace": namespace}
    return await azure.page(of_id("GET", resource, path, query=query, version=_VERSION), _MOST_DEFINITIONS)


async def values(azure: Azure, resource: ResourceId, series: MetricQuery) -> Mapping[str, Any]:
    """The time series of metrics of a resource."""
    path = "/providers/Microsoft.Insights/metrics"
    return await azure.json(of_id("GET", resource, path, query=series.query, version=_VERSION))


def _escaped(name: str) -> str:
    """Escape commas in a name, because commas separate the names of metrics."""
    return name.replace(",", "%2")


def _quoted(value: str) -> str:
    return value.replace("'", "''")
