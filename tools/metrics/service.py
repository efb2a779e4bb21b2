"""Metrics as a tool sends them, and what Application Insights answers in words."""

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
    "Application Insights did not answer, so it is not known whether it took anything. Nothing is kept for later. If"
    " the values must not be counted twice, look for them before you send them again."
)
_DAILY_CAP: Final = (
    "Application Insights took nothing, because its daily cap is used up. Nothing is kept for later. An operator can"
    " raise the cap; else send it after the hour at which the cap begins anew."
)
_NOT_PERMITTED: Final = (
    "Application Insights does not accept the sign-in of this server, and took nothing. An operator has to give its"
    " identity the role Monitoring Metrics Publisher there, or to look at APPLICATIONINSIGHTS_AUTHENTICATION_STRING."
)
_ELSEWHERE: Final = (
    "Application Insights took nothing ({status}). An operator has to look whether"
    " APPLICATIONINSIGHTS_CONNECTION_STRING is the one of a component that there is."
)
_NO_STRING: Final = "APPLICATIONINSIGHTS_CONNECTION_STRING is no connection string. An operator has to look at it."


@dataclass(frozen=True)
class Metrics:
    sender: CustomMetrics
    cardinality: Cardinality

    @property
    def host(self) -> str:
        """Where Application Insights takes them."""
        parts = dict(part.partition("=")[::2] for part in self.sender.connection_string.split(";"))
        return urlsplit(parts.get("IngestionEndpoint", "")).hostname or "the ingestion endpoint of the public cloud"

    async def send(self, series: Sequence[MetricSeries], at: datetime) -> SendOutcome:
        """Send series, and answer which of them were not taken.

        Raises:
            Refusal: There are too many, or none was taken.
        """
        self.cardinality.check(series)
        # Beforehand, so that calls at the same time do not get past the limit together.
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
        return (
            f"Application Insights takes nothing at present ({status}), and nothing is kept for later. Send the same"
            f" call again {wait}."
        )
    return _ELSEWHERE.format(status=status)
