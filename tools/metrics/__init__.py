"""The toolset of custom metrics. Its tools are imported on first use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mcp_server.declarations.toolset import Part, Toolset
from tools.metrics.access import METRICS


def _parts() -> Sequence[Part]:
    from tools.metrics import sending

    return (sending.part,)


toolset: Final = Toolset("metrics", "Send custom metrics to Application Insights.", needs=(METRICS,), parts=_parts)
