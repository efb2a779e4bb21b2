"""Sends callers' metrics. Only a worker thread imports this module, because importing the exporter is slow."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from datetime import datetime
from math import fsum
from typing import Any, Final

from azure.core.pipeline import PipelineResponse
from azure.monitor.opentelemetry.exporter import AzureMonitorMetricExporter
from opentelemetry.sdk.metrics.export import (
    AggregationTemporality,
    Histogram,
    HistogramDataPoint,
    Metric,
    MetricsData,
    ResourceMetrics,
    ScopeMetrics,
)
from opentelemetry.sdk.resources import SERVICE_NAME, SERVICE_VERSION, Resource
from opentelemetry.sdk.util.instrumentation import InstrumentationScope

from telemetry.azure_monitor import BOUNDS
from telemetry.metric_series import MetricSeries, SendOutcome

_LONGEST_REASON: Final = 200


class MetricsSender:
    """Sends metrics and keeps the response from Application Insights, which the exporter itself would only log."""

    def __init__(self, connection_string: str, name: str, version: str) -> None:
        self._answered = threading.local()
        self._resource = Resource({SERVICE_NAME: name, SERVICE_VERSION: version})
        # Do not retry, because the caller gets the outcome and decides whether to retry.
        bounds = BOUNDS | {"retry_total": 0}
        self._exporter = AzureMonitorMetricExporter(
            connection_string=connection_string, raw_response_hook=self._note, **bounds
        )

    def send(self, series: Sequence[MetricSeries], at: datetime) -> SendOutcome:
        self._answered.outcome = SendOutcome()
        self._exporter.export(self._metrics_data(series, int(at.timestamp() * 1e9)))
        outcome: SendOutcome = self._answered.outcome
        return outcome

    def _metrics_data(self, series: Sequence[MetricSeries], at: int) -> MetricsData:
        metrics = [_metric(one, at) for one in series]
        scope = ScopeMetrics(InstrumentationScope("custom"), metrics, "")
        return MetricsData([ResourceMetrics(self._resource, [scope], "")])

    def _note(self, answered: PipelineResponse[Any, Any]) -> None:
        response = answered.http_response
        wait = str(response.headers.get("Retry-After", ""))
        refused = _refused(response.text()) if response.status_code in {200, 206} else {}
        self._answered.outcome = SendOutcome(response.status_code, refused, int(wait) if wait.isdecimal() else None)


def _metric(series: MetricSeries, at: int) -> Metric:
    """Convert a series to one data point with count, sum, minimum and maximum, as Application Insights stores it."""
    values = series.values
    point = HistogramDataPoint(
        attributes=series.dimensions,
        start_time_unix_nano=at,
        time_unix_nano=at,
        count=len(values),
        sum=fsum(values),
        bucket_counts=[len(values)],
        explicit_bounds=[],
        min=min(values),
        max=max(values),
    )
    return Metric(series.name, "", "", Histogram([point], AggregationTemporality.DELTA))


def _refused(text: str) -> dict[int, str]:
    errors = json.loads(text).get("errors") or []
    return {int(error["index"]): str(error.get("message", ""))[:_LONGEST_REASON] for error in errors}
