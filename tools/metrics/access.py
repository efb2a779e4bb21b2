"""The key by which the metrics tools get their service."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tools.key import Key

if TYPE_CHECKING:
    from tools.metrics.service import Metrics

METRICS: Final[Key[Metrics]] = Key("metrics")
