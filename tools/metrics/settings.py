"""The settings of metrics that callers send."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from settings import setting
from settings.forms import count

if TYPE_CHECKING:
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricsSettings:
    """Metrics that callers send: how many there may be."""

    most_series: int = setting(
        "METRICS_MOST_SERIES",
        count,
        1000,
        "How many series one instance sends in half a day: each metric with each combination of its properties is one."
        " Application Insights counts them, and slows down beyond some ten thousand.",
    )
    most_of_a_metric: int = setting(
        "METRICS_MOST_SERIES_OF_A_METRIC", count, 100, "How many of these may be of one metric."
    )
