"""The settings of custom metrics."""

from __future__ import annotations

from dataclasses import dataclass

from settings import setting
from settings.forms import count


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricsSettings:
    """Limits on the metrics that callers send."""

    most_series: int = setting(
        "METRICS_MOST_SERIES",
        count,
        1000,
        "The maximum number of series that one instance sends in half a day. Each combination of a metric and its"
        " property values is a series. Application Insights slows down beyond tens of thousands of series.",
    )
    most_of_a_metric: int = setting(
        "METRICS_MOST_SERIES_OF_A_METRIC", count, 100, "The maximum number of series per metric."
    )
