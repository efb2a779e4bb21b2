"""Lists the metrics of a resource, and shows their values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Annotated, Any, Final, Literal

from clients.answers import Extent
from clients.azure import metrics
from clients.azure.failures import AzureRefusal
from clients.azure.metrics import MetricQuery
from clients.azure.named import place_called
from clients.azure.spans import TimeSpan
from clients.azure.times import span, to_seconds
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.access import Arm
from tools.azure.shared.answers import Json, answer, at, every, present
from tools.azure.shared.parameters import IdOrName, Since, Until

part = Part()

_MOST_POINTS: Final = 1000
_USUAL_POINTS: Final = 50
_MOST_SHOWN: Final = 2000
_WRONG: Final = 400
_GRAINS: Final = {
    "1m": ("PT1M", timedelta(minutes=1)),
    "5m": ("PT5M", timedelta(minutes=5)),
    "15m": ("PT15M", timedelta(minutes=15)),
    "30m": ("PT30M", timedelta(minutes=30)),
    "1h": ("PT1H", timedelta(hours=1)),
    "6h": ("PT6H", timedelta(hours=6)),
    "12h": ("PT12H", timedelta(hours=12)),
    "1d": ("P1D", timedelta(days=1)),
}
_AGGREGATIONS: Final = ("average", "total", "maximum", "minimum", "count")
_DIMENSION: Final = r"^[\w .:/-]+$"

Aggregation = Literal["average", "total", "maximum", "minimum", "count"]
Interval = Literal["1m", "5m", "15m", "30m", "1h", "6h", "12h", "1d"]
Name = Annotated[str, Field(min_length=1, max_length=200)]
Namespace = Annotated[str | None, Field(pattern=r"^[\w ./-]+$", max_length=200, description="Namespace; rarely needed")]


@part.tool(Access.READ)
async def list_metric_definitions(
    azure: Arm,
    resource: IdOrName,
    name: Annotated[str | None, Field(min_length=1, max_length=200, description="Part of name or meaning")] = None,
    namespace: Namespace = None,
    detail: Annotated[Extent, Field(description="full: what each metric means")] = "summary",
) -> Json:
    """List the metrics of a resource: name, unit, usual aggregation, dimensions to split by."""
    place = await place_called(azure, resource)
    page = await metrics.definitions(azure, place, namespace)
    found = [one for one in page.items if not name or name.lower() in _searchable(one).lower()]
    note = "No metric matches `name`. Omit `name` to list all metrics." if page.items and not found else None
    return every((_definition(one, is_full=detail == "full") for one in found), resource=place.name, note=note)


def _searchable(one: Mapping[str, Any]) -> str:
    words = (at(one, "name.value"), at(one, "name.localizedValue"), one.get("displayDescription"))
    return " ".join(str(word) for word in words if word)


def _definition(one: Mapping[str, Any], *, is_full: bool) -> Json:
    fields = {
        "name": at(one, "name.value"),
        "unit": one.get("unit"),
        "usual": one.get("primaryAggregationType"),
        "splitBy": [at(each, "value") for each in one.get("dimensions") or ()],
        "needsSplit": one.get("isDimensionRequired") or None,
        "about": one.get("displayDescription") if is_full else None,
        "intervals": [at(each, "timeGrain") for each in one.get("metricAvailabilities") or ()] if is_full else None,
    }
    return present(fields)


@part.tool(Access.READ)
async def query_metrics(
    azure: Arm,
    resource: IdOrName,
    names: Annotated[list[Name], Field(min_length=1, max_length=10, description="Metric names")],
    since: Since = "1h",
    until: Until = None,
    aggregation: Annotated[Aggregation | None, Field(description="Default: the metric's usual aggregation")] = None,
    interval: Annotated[Interval | None, Field(description="Default: chosen to give about 50 values")] = None,
    split_by: Annotated[str | None, Field(pattern=_DIMENSION, max_length=100, description="A dimension")] = None,
    dimensions: Annotated[
        dict[Annotated[str, Field(pattern=_DIMENSION, max_length=100)], Name] | None,
        Field(max_length=10, description="Only these dimension values, such as {StatusCode: 500}"),
    ] = None,
    namespace: Namespace = None,
) -> Json:
    """Show metrics of a resource over time: values at regular intervals, `null` where nothing was measured."""
    place, about = await place_called(azure, resource), span(since, until)
    series = MetricQuery(
        names=names,
        span=about,
        interval=_grain(about, interval),
        aggregations=[aggregation] if aggregation else [],
        split_by=[split_by] if split_by else [],
        dimensions=dimensions,
        namespace=namespace,
    )
    try:
        found = await metrics.values(azure, place, series)
    except AzureRefusal as refusal:
        raise _with_advice(refusal, names) from None
    return _answer(found, place.name)


def _grain(about: TimeSpan, interval: Interval | None) -> str:
    """Return Azure's code for an interval. The default is the shortest interval that produces at most 50 values."""
    if interval is None:
        fitting = (code for code, length in _GRAINS.values() if about.seconds / length.total_seconds() <= _USUAL_POINTS)
        return next(fitting, "P1D")
    code, length = _GRAINS[interval]
    if about.seconds / length.total_seconds() > _MOST_POINTS:
        raise Refusal(
            f"The request would return more than {_MOST_POINTS} values. Use a longer interval or a shorter time span."
        )
    return code


def _with_advice(refusal: AzureRefusal, names: Sequence[str]) -> Refusal:
    """Add similar names to Azure's error about an unknown metric. Azure's error lists all metrics; this function keeps
    only the most similar names.
    """
    found = re.search(r"Valid metrics: ([^\r\n]+)", refusal.message)
    if not found or refusal.status != _WRONG:
        return refusal
    known = {one.strip().lower(): one.strip() for one in found[1].split(",")}
    missing = [name for name in names if name.lower() not in known]
    closest = ", ".join(dict.fromkeys(_closest(missing, known)))
    what = f"Metric {', '.join(map(repr, missing))} not found."
    return Refusal(f"{what} {f'Closest: {closest}. ' if closest else ''}Use list_metric_definitions to list all.")


def _closest(missing: Sequence[str], known: Mapping[str, str]) -> Iterator[str]:
    from difflib import get_close_matches  # noqa: PLC0415 - after a mistake only

    for name in missing:
        yield from (known[one] for one in get_close_matches(name.lower(), known, 5, 0.4))
        yield from (one for key, one in known.items() if name.lower() in key)


def _answer(found: Mapping[str, Any], resource: str) -> Json:
    series = [one for metric in found.get("value") or () for one in _series(metric)]
    left = _MOST_SHOWN
    shown = []
    for one in series:
        left -= len(one["values"])
        if left < 0:
            break
        shown.append(one)
    advice = "narrow the request, or use a longer interval"
    more = f"Showing {len(shown)} of {len(series)} series: {advice}." if left < 0 else None
    about = {"resource": resource, "every": found.get("interval"), "more": more}
    return {**answer(**about), "count": len(shown), "items": shown}


def _series(metric: Mapping[str, Any]) -> Iterator[Json]:
    """Yield each series of a metric. Only the first time is included: it and the interval determine all other times."""
    name, unit, problem = at(metric, "name.value"), metric.get("unit"), _problem(metric)
    for one in metric.get("timeseries") or [{}]:
        points = [each for each in one.get("data") or () if isinstance(each, Mapping)]
        used = [name for name in _AGGREGATIONS if any(name in each for each in points)]
        of = {str(at(each, "name.value")): each.get("value") for each in one.get("metadatavalues") or ()}
        values = [_number(_value_of(each, used)) for each in points]
        about = {"metric": name, "unit": unit, "aggregation": ", ".join(used), "of": of, "problem": problem}
        yield {
            **present({**about, "from": to_seconds(points[0].get("timeStamp")) if points else None}),
            "values": _measured(values),
        }


def _value_of(point: Mapping[str, Any], used: Sequence[str]) -> Any:
    """Return the value of a data point. If Azure used several aggregations, return the value of the first."""
    return point.get(used[0]) if used else None


def _measured(values: list[Any]) -> list[Any]:
    """Return the values, or an empty list if all of them are None."""
    return values if any(value is not None for value in values) else []


def _number(value: Any) -> Any:
    if not isinstance(value, float):
        return value
    return int(value) if value.is_integer() else float(f"{value:.5g}")


def _problem(metric: Mapping[str, Any]) -> str | None:
    code = metric.get("errorCode")
    return None if code in {None, "Success"} else f"{code}: {metric.get('errorMessage') or ''}".strip(": ")
