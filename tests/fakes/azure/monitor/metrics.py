"""Metrics of resources: which there are, and their values over time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import chain
from typing import Final
from urllib.parse import unquote

from tests.fakes.azure.access import Access
from tests.fakes.azure.estate import Estate, type_of
from tests.fakes.azure.graph.values import moment_of
from tests.fakes.azure.resources import shown
from tests.fakes.azure.routes import Asked, Json, Reply, Route

_METRICS: Final = "GET {scope}/providers/Microsoft.Insights/metrics"
_DEFINITIONS: Final = "GET {scope}/providers/Microsoft.Insights/metricDefinitions"
_GRAINS: Final = {
    "PT1M": timedelta(minutes=1),
    "PT5M": timedelta(minutes=5),
    "PT15M": timedelta(minutes=15),
    "PT30M": timedelta(minutes=30),
    "PT1H": timedelta(hours=1),
    "PT6H": timedelta(hours=6),
    "PT12H": timedelta(hours=12),
    "P1D": timedelta(days=1),
}
_AGGREGATIONS: Final = ("Average", "Minimum", "Maximum", "Total", "Count")
_DIMENSION: Final = re.compile(r"(\w+)\s+eq\s+'([^']*)'", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Definition:
    name: str
    unit: str
    primary: str
    dimensions: tuple[str, ...] = ()
    description: str = ""


@dataclass(frozen=True, slots=True)
class Sample:
    at: datetime
    value: float
    dimensions: tuple[tuple[str, str], ...] = ()


@dataclass
class Metrics:
    estate: Estate
    access: Access
    definitions: dict[str, list[Definition]] = field(default_factory=dict)  # by type in lower case
    # By id and metric, likewise; read when they are first asked for, which few tests do.
    added: dict[tuple[str, str], list[Iterable[Sample]]] = field(default_factory=dict)

    @property
    def routes(self) -> list[Route]:
        return [
            Route(_METRICS, self._values, type="Microsoft.Insights/metrics"),
            Route(_DEFINITIONS, self._definitions, type="Microsoft.Insights/metricDefinitions"),
        ]

    def define(
        self, kind: str, name: str, unit: str, primary: str, dimensions: Sequence[str] = (), description: str = ""
    ) -> None:
        """Resources of this type have this metric: its unit is such as Count or Seconds, `primary` an aggregation."""
        made = Definition(name, unit, primary, tuple(dimensions), description)
        self.definitions.setdefault(kind.lower(), []).append(made)

    def add(self, resource: str, name: str, samples: Iterable[tuple[datetime, float]], **dimensions: str) -> None:
        """Values that were measured, each at its time."""
        own = tuple(sorted(dimensions.items()))
        added = self.added.setdefault((resource.lower(), name.lower()), [])
        added.append(Sample(at, value, own) for at, value in samples)

    def samples(self, resource: str, name: str) -> list[Sample]:
        key = resource.lower(), name.lower()
        read = list(chain.from_iterable(self.added.get(key, [])))
        self.added[key] = [read]
        return read

    def _definitions(self, asked: Asked) -> Json:
        scope = asked.places["scope"]
        self.access.demand(asked, "Microsoft.Insights/metricDefinitions/read", scope)
        return {"value": [_defined(scope, one) for one in self._known(scope)]}

    def _known(self, scope: str) -> list[Definition]:
        return self.definitions.get(type_of(scope).lower(), [])

    def _values(self, asked: Asked) -> Json | Reply:
        scope = asked.places["scope"]
        self.access.demand(asked, "Microsoft.Insights/metrics/read", scope)
        known = {one.name.lower(): one for one in self._known(scope)}
        names = [name.strip() for name in asked.query.get("metricnames", "").split(",") if name.strip()]
        if missing := [name for name in names if name.lower() not in known]:
            return _refused(_unknown(scope, missing[0], known.values()))
        grain = asked.query.get("interval") or "PT1M"
        if grain not in _GRAINS:
            allowed = ",".join(_GRAINS)
            return _refused(f"Detected invalid time grain input: '{grain}'. Supported time grains are: {allowed}")
        # `az` encodes it twice, and the service takes it.
        span = unquote(asked.query.get("timespan", "")).partition("/")
        since, until = moment_of(span[0]), moment_of(span[2])
        if since is None or until is None:
            return _refused("The timespan is invalid.")
        wanted = [known[name.lower()] for name in names] or list(known.values())[:1]
        found = [self._metric(asked, scope, one, _Wanted.of(asked, one, since, until, grain)) for one in wanted]
        about = {"cost": 59, "timespan": f"{span[0]}/{span[2]}", "interval": grain, "value": found}
        return {**about, "namespace": type_of(scope), "resourceregion": "westeurope"}

    def _metric(self, asked: Asked, scope: str, one: Definition, wanted: _Wanted) -> Json:
        samples = [each for each in self.samples(scope, one.name) if wanted.takes(each)]
        by_series: dict[tuple[tuple[str, str], ...], list[Sample]] = {}
        for each in samples:
            by_series.setdefault(wanted.series_of(each), []).append(each)
        series = [{"metadatavalues": _metadata(key), "data": wanted.points(of)} for key, of in by_series.items()]
        return {
            "id": f"{scope}/providers/Microsoft.Insights/metrics/{one.name}",
            "type": "Microsoft.Insights/metrics",
            "name": {"value": one.name, "localizedValue": one.name},
            "displayDescription": one.description,
            "unit": one.unit,
            "timeseries": series[: asked.number("top", 10)] or [{"metadatavalues": [], "data": wanted.points([])}],
            "errorCode": "Success",
        }


@dataclass(frozen=True, slots=True)
class _Wanted:
    since: datetime
    until: datetime
    grain: timedelta
    aggregations: tuple[str, ...]
    dimensions: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, asked: Asked, one: Definition, since: datetime, until: datetime, grain: str) -> _Wanted:
        named = [name.strip().lower() for name in asked.query.get("aggregation", one.primary).split(",")]
        dimensions = tuple(_DIMENSION.findall(asked.query.get("$filter", "")))
        return cls(since, until, _GRAINS[grain], tuple(named), dimensions)

    def takes(self, sample: Sample) -> bool:
        own = {name.lower(): value.lower() for name, value in sample.dimensions}
        fits = all(value == "*" or own.get(name.lower()) == value.lower() for name, value in self.dimensions)
        return fits and self.since <= sample.at < self.until

    def series_of(self, sample: Sample) -> tuple[tuple[str, str], ...]:
        """With a filter by a dimension, the values come apart by it."""
        split = {name.lower() for name, _ in self.dimensions}
        return tuple(pair for pair in sample.dimensions if pair[0].lower() in split)

    def points(self, samples: Sequence[Sample]) -> list[Json]:
        """Each interval has its place; where nothing was measured, it has no value."""
        by_place: dict[int, list[float]] = {}
        for sample in samples:
            by_place.setdefault((sample.at - self.since) // self.grain, []).append(sample.value)
        places = range(max(1, -((self.since - self.until) // self.grain)))
        return [{"timeStamp": shown(self.since + at * self.grain), **self._told(by_place.get(at, []))} for at in places]

    def _told(self, values: Sequence[float]) -> dict[str, float]:
        if not values:
            return {}
        told = {
            "average": sum(values) / len(values),
            "minimum": min(values),
            "maximum": max(values),
            "total": sum(values),
            "count": float(len(values)),
        }
        return {name: told[name] for name in self.aggregations if name in told}


def _defined(scope: str, one: Definition) -> Json:
    return {
        "id": f"{scope}/providers/microsoft.insights/metricdefinitions/{one.name}",
        "resourceId": scope,
        "namespace": type_of(scope),
        "name": {"value": one.name, "localizedValue": one.name},
        "displayDescription": one.description,
        "isDimensionRequired": False,
        "unit": one.unit,
        "primaryAggregationType": one.primary,
        "supportedAggregationTypes": ["None", *_AGGREGATIONS],
        "metricAvailabilities": [{"timeGrain": grain, "retention": "P93D"} for grain in _GRAINS],
        "dimensions": [{"value": name, "localizedValue": name} for name in one.dimensions],
    }


def _metadata(key: tuple[tuple[str, str], ...]) -> list[Json]:
    return [{"name": {"value": name.lower(), "localizedValue": name.lower()}, "value": value} for name, value in key]


def _refused(message: str) -> Reply:
    """As this service says it, without a frame around it."""
    return Reply({"code": "BadRequest", "message": message}, 400)


def _unknown(scope: str, name: str, known: Iterable[Definition]) -> str:
    provider, _, kind = type_of(scope).partition("/")
    valid = ",".join(one.name for one in known)
    return (
        f"Failed to find metric configuration for provider: {provider}, resource Type: {kind}, metric: {name}, Valid"
        f" metrics: {valid}"
    )
