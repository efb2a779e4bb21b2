"""Sends custom metrics."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field

from changes.preview import Preview
from changes.undo import never
from mcp_server.declarations.change import Change, PlannedChange
from mcp_server.declarations.injection import Resolve
from mcp_server.declarations.toolset import Access, Part
from mcp_server.visit import Context
from refusal import Refusal
from telemetry.metric_series import MetricSeries, SendOutcome
from tools.metrics.access import METRICS
from tools.metrics.service import Metrics

part = Part()

MOST_VALUES: Final = 100
MOST_PROPERTIES: Final = 10
LONGEST_NAME: Final = 150
LONGEST_VALUE: Final = 256
_LARGEST: Final = 1e300
_NAME: Final = re.compile(r"[A-Za-z](?:[A-Za-z0-9_./-]{0,148}[A-Za-z0-9])?")
# Prefixes of metrics that are created by this server, its exporter or Application Insights.
_RESERVED: Final = (
    *("azure_team_mcp.", "http.server.", "http.client.", "azuremonitor.", "process.", "process/", "system."),
    *("requests/", "dependencies/", "exceptions/", "performancecounters/", "browsertimings/", "availabilityresults/"),
    *("microsoft.", "azure.", "otelresource"),
)
# Prefixes of properties that Application Insights itself adds.
_RESERVED_PROPERTIES: Final = ("ms.", "cloud/", "operation/", "ai.", "microsoft.", "user_agent.", "_")

Json = dict[str, Any]


async def metrics_of(context: Context) -> Metrics:
    return await METRICS.of(context)


MetricsHere = Annotated[Metrics, Resolve(metrics_of)]
MetricName = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME, description="Such as orders.paid")]
_Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Value = Annotated[_Number, Field(description="Measured value")]
# Lengths are validated in code: in the schema, they would appear three times.
Properties = Annotated[
    dict[str, str] | None, Field(description="Dimensions with few distinct values: never ids or times")
]


class Measurement(BaseModel):
    model_config = ConfigDict(extra="forbid")

    metric_name: str
    value: _Number
    properties: dict[str, str] | None = None


More = Annotated[list[Measurement] | None, Field(max_length=MOST_VALUES - 1, description="More values, sent together")]


@part.change(Access.WRITE, harmless=("metric_name",), idempotent=False)
async def send_metric(
    metrics: MetricsHere, metric_name: MetricName, value: Value, properties: Properties = None, more: More = None
) -> Change[Json]:
    """Send values of custom metrics to Application Insights; they appear in customMetrics minutes later."""
    series = _series(metric_name, value, properties, more)

    async def preview() -> Preview:
        metrics.cardinality.check(series)
        names, count = sorted({one.name for one in series}), sum(len(one.values) for one in series)
        return Preview(
            what=f"{count} {'value' if count == 1 else 'values'} of {', '.join(names[:5])} (cannot be deleted)",
            facts={
                "ingestion endpoint": metrics.host,
                "metrics": names,
                "series": len(series),
                "split by": sorted({name for one in series for name in one.dimensions}),
            },
            destroys=False,
            undo=never("sent values cannot be deleted"),
        )

    async def apply() -> Json:
        at = datetime.now(UTC)
        outcome = await metrics.send(series, at)
        left = metrics.cardinality.left(metric_name)
        room = {} if left is None else {"series_left": left}
        return {"sent_at": at.isoformat(timespec="milliseconds"), **_answer(series, outcome), **room}

    return PlannedChange(preview, apply)


def _answer(series: Sequence[MetricSeries], outcome: SendOutcome) -> Json:
    refused = [
        {"metric_name": series[place].name, "properties": dict(series[place].dimensions), "why": why}
        for place, why in sorted(outcome.refused.items())
        if place < len(series)
    ]
    if not refused:
        return {"status": "accepted"}
    status = "refused" if len(refused) == len(series) else "accepted in part"
    return {"status": status, "refused": refused, "note": "Rejected values are not stored or sent again."}


def _series(metric_name: str, value: float, properties: Properties, more: More) -> list[MetricSeries]:
    """Check the values and group them by series."""
    first = Measurement.model_construct(metric_name=metric_name, value=value, properties=properties)
    series: dict[tuple[str, frozenset[tuple[str, str]]], MetricSeries] = {}
    for one in (first, *(more or ())):
        dimensions = one.properties or {}
        _check(one.metric_name, one.value, dimensions)
        key = (one.metric_name, frozenset(dimensions.items()))
        before = series[key].values if key in series else ()
        series[key] = MetricSeries(one.metric_name, dimensions, (*before, float(one.value)))
    return list(series.values())


def _check(name: str, value: float, dimensions: Json) -> None:
    _check_name(name)
    if abs(value) > _LARGEST:
        raise Refusal(f"The value of {name} exceeds {_LARGEST:g}, which Application Insights cannot aggregate.")
    if len(dimensions) > MOST_PROPERTIES:
        raise Refusal(f"{name} has {len(dimensions)} properties; the maximum is {MOST_PROPERTIES}.")
    for dimension, text in dimensions.items():
        _check_property(dimension, text)


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise Refusal(
            "A metric name must start with a letter, end with a letter or digit, and have only letters, digits and _"
            f" . - / in between, up to {LONGEST_NAME} characters, for example orders.paid."
        )
    if reserved := _begins(name, _RESERVED):
        raise Refusal(f"Metric names that start with {reserved} are reserved. Choose another name.")


def _check_property(name: str, text: str) -> None:
    if not name.startswith("_") and not _NAME.fullmatch(name):
        raise Refusal("A property name must have the format of a metric name, for example region or order.kind.")
    if reserved := _begins(name, _RESERVED_PROPERTIES):
        raise Refusal(
            f"Property names that start with {reserved} are reserved by Application Insights. Choose another name."
        )
    if not text.isprintable() or not text.strip() or len(text) > LONGEST_VALUE:
        raise Refusal(f"The value of the property {name} must be one line of 1 to {LONGEST_VALUE} characters.")


def _begins(name: str, reserved: Iterable[str]) -> str:
    return next((one for one in reserved if name.lower().startswith(one)), "")
