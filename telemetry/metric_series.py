"""What is sent of metrics of callers, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    pass


@dataclass(frozen=True, slots=True)
class MetricSeries:
    """Values of one metric that have the same dimensions."""

    name: str
    dimensions: Mapping[str, str]
    values: Sequence[float]


@dataclass(frozen=True, slots=True)
class SendOutcome:
    """What Application Insights answered: no status where it did not, and the series that it did not take, with why."""

    status: int = 0
    refused: Mapping[int, str] = field(default_factory=dict)
    wait: int | None = None
