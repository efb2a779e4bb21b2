"""Provides access to custom metrics: the connection, and the limits on the number of series."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

from settings import Settings
from tools.metrics.access import METRICS
from tools.metrics.settings import MetricsSettings
from tools.provider import Provider, Supplies

if TYPE_CHECKING:
    from tools.metrics.service import Metrics


def lacks(_settings: MetricsSettings, of_the_app: Settings) -> str:
    if of_the_app.monitor.connection:
        return ""
    return "Metrics are not configured. Ask an operator to set APPLICATIONINSIGHTS_CONNECTION_STRING."


@asynccontextmanager
async def open_metrics(settings: MetricsSettings, supplies: Supplies) -> AsyncIterator[Metrics]:
    from tools.metrics.cardinality import Cardinality
    from tools.metrics.service import Metrics

    yield Metrics(supplies.custom_metrics(), Cardinality(settings.most_series, settings.most_of_a_metric))


provider: Final = Provider(key=METRICS, settings=MetricsSettings, open=open_metrics, lacks=lacks)
