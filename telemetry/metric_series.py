"""Metrics that callers send, and the outcome of sending them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class MetricSeries:
    """The values of one metric with the same dimensions."""

    name: str
    dimensions: Mapping[str, str]
    values: Sequence[float]


@dataclass(frozen=True, slots=True)
class SendOutcome:
    """The response from Application Insights: its HTTP status, if any, and the rejected series with the reasons."""

    status: int = 0
    refused: Mapping[int, str] = field(default_factory=dict)
    wait: int | None = None
