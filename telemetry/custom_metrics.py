"""Sends callers' metrics to Application Insights immediately, and reports the outcome."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING

from telemetry.export import keep_to_itself
from telemetry.metric_series import MetricSeries, SendOutcome

if TYPE_CHECKING:
    from telemetry.sending_metrics import MetricsSender


@dataclass(frozen=True)
class CustomMetrics:
    """Sends each metric once, without storing it."""

    connection_string: str = field(repr=False)
    name: str
    version: str
    _loading: Lock = field(default_factory=Lock, repr=False)

    async def send(self, series: Sequence[MetricSeries], at: datetime) -> SendOutcome:
        """Send the metrics. Sending runs in a thread, because the exporter blocks.

        Raises:
            ValueError: The connection string is invalid.
        """
        return await asyncio.to_thread(self._send, series, at)

    def _send(self, series: Sequence[MetricSeries], at: datetime) -> SendOutcome:
        with self._loading:
            sender = self._sender
        return sender.send(series, at)

    @cached_property
    def _sender(self) -> MetricsSender:
        from telemetry.sending_metrics import MetricsSender  # noqa: PLC0415 - takes almost a second

        keep_to_itself()
        return MetricsSender(self.connection_string, self.name, self.version)
