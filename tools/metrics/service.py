"""Sends metrics for a tool, and explains the responses of Application Insights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from urllib.parse import urlsplit

from refusal import Refusal
from telemetry.custom_metrics import CustomMetrics
from telemetry.metric_series import MetricSeries, SendOutcome
from tools.metrics.cardinality import Cardinality

_OK: Final = frozenset({200, 206})
_FULL: Final = frozenset({402, 439})
_NOT_NOW: Final = frozenset({408, 429, 500, 502, 503, 504})
_SIGN_IN: Final = frozenset({401, 403})
_UNANSWERED: Final = (
    "Application Insights did not answer, so the values may or may not have arrived. Nothing is queued. If the values"
    " must not be counted twice, look for them before you send them again."
)
_DAILY_CAP: Final = (
    "Application Insights rejected the values: its daily cap has been reached. Nothing is queued. Ask an operator to"
    " raise the cap, or send the values again after the cap resets."
)
_NOT_PERMITTED: Final = (
    "Application Insights rejected this server's sign-in and accepted nothing. Ask an operator to assign the role"
    " Monitoring Metrics Publisher on the component to the server's identity, or to check"
    " APPLICATIONINSIGHTS_AUTHENTICATION_STRING."
)
_AT_PRESENT: Final = (
    "Application Insights is not accepting values at present ({status}). Nothing is queued. Repeat the call {wait}."
)
_ELSEWHERE: Final = (
    "Application Insights rejected the values ({status}). Ask an operator to check that"
    " APPLICATIONINSIGHTS_CONNECTION_STRING belongs to an existing component."
)
_NO_STRING: Final = (
    "APPLICATIONINSIGHTS_CONNECTION_STRING is not a valid connection string. Ask an operator to correct it."
)


@dataclass(frozen=True)
class Metrics:
    sender: CustomMetrics
    cardinality: Cardinality

    @property
    def host(self) -> str:
        """The host of the ingestion endpoint."""
        parts = dict(part.partition("=")[::2] for part in self.sender.connection_string.split(";"))
        return urlsplit(parts.get("IngestionEndpoint", "")).hostname or "the ingestion endpoint of the public cloud"

    async def send(self, series: Sequence[MetricSeries], at: datetime) -> SendOutcome:
        """Send series, and return the outcome. Raise a Refusal if all series were rejected."""
        self.cardinality.check(series)
        # Series are counted before they are sent, so that concurrent calls together cannot exceed the limit.
        self.cardinality.note(series)
        try:
            outcome = await self.sender.send(series, at)
        except ValueError:
            raise Refusal(_NO_STRING) from None
        if outcome.status not in _OK:
            raise Refusal(_words(outcome))
        return outcome


def _words(outcome: SendOutcome) -> str:
    status = outcome.status
    if not status:
        return _UNANSWERED
    if status in _FULL:
        return _DAILY_CAP
    if status in _SIGN_IN:
        return _NOT_PERMITTED
    if status in _NOT_NOW:
        wait = f"in {outcome.wait} seconds" if outcome.wait else "in a minute"
        return _AT_PRESENT.format(status=status, wait=wait)
    return _ELSEWHERE.format(status=status)
