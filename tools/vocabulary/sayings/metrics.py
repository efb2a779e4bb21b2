"""How people ask for metrics of their own to be sent."""

from __future__ import annotations

from typing import Final

SAYINGS: Final = {
    "send_metric": (
        "send a custom metric to application insights, record a metric value of 0, push a measurement, log the metric "
        "orders paid with value 0, report a custom metric with dimensions, emit a gauge value, track a metric, send "
        "several metric values at once, envoie une metrique personnalisee, sende eine eigene metrik"
    ),
}
