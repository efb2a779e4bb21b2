"""Metrics that callers send: where they go, and how many series there may be."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from settings import Settings, setting
from settings.forms import count
from tools.provider import Provider, Supplies

if TYPE_CHECKING:
    from tools.metrics.service import Metrics


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


def lacks(_settings: MetricsSettings, of_the_app: Settings) -> str:
    if of_the_app.monitor.connection:
        return ""
    return "No metrics can be sent from here. An operator has to set APPLICATIONINSIGHTS_CONNECTION_STRING."


@asynccontextmanager
async def open_metrics(settings: MetricsSettings, supplies: Supplies) -> AsyncIterator[Metrics]:
    from tools.metrics.cardinality import Cardinality
    from tools.metrics.service import Metrics

    yield Metrics(supplies.custom_metrics(), Cardinality(settings.most_series, settings.most_of_a_metric))


provider: Final = Provider(name="metrics", settings=MetricsSettings, open=open_metrics, lacks=lacks)
