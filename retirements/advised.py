"""Reads retirements from Azure Advisor and Service Health, with the resources that they affect."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Final

from clients.azure.client import Azure
from clients.azure.graph import GraphRows, ready_made, rows_of

Row = Mapping[str, Any]

ADVISOR: Final = "Advisor"
SERVICE_HEALTH: Final = "Service Health"
_MOST: Final = 1000
_ADVICE: Final = (
    "where type =~ 'microsoft.advisor/recommendations'",
    "extend told = properties.extendedProperties",
    (
        "where coalesce(tostring(told.recommendationSubCategory), tostring(told.recommendationControl))"
        " =~ 'ServiceUpgradeAndRetirement' and isnotempty(tostring(told.retirementFeatureName))"
    ),
    (
        "project id, feature = tostring(told.retirementFeatureName), due = tostring(told.retirementDate),"
        " resource = tostring(properties.resourceMetadata.resourceId), kind = tostring(properties.recommendationTypeId)"
        ", solution = tostring(properties.shortDescription.solution)"
        ", problem = tostring(properties.shortDescription.problem)"
    ),
)
_METADATA: Final = (
    "where type =~ 'microsoft.advisor/metadata' and tostring(properties.language) in~ ('', 'en')",
    "extend told = properties.sourceProperties.serviceRetirement",
    "where isnotempty(tostring(told.retirementFeatureName))",
    (
        "project id, feature = tostring(told.retirementFeatureName), due = tostring(told.retirementDate),"
        " tracking = told.serviceHealth.trackingIds, kind = tostring(properties.recommendationTypeId)"
    ),
)
_EVENTS: Final = (
    "where type =~ 'microsoft.resourcehealth/events'",
    "where tostring(properties.EventType) =~ 'HealthAdvisory' and tostring(properties.EventSubType) =~ 'Retirement'",
    (
        "project id, tracking = tostring(properties.TrackingId), title = tostring(properties.Title),"
        " state = tostring(properties.Status), due = tostring(properties.ImpactMitigationTime)"
    ),
)
_IMPACTED: Final = (
    "where type =~ 'microsoft.resourcehealth/events/impactedresources'",
    "project id, resource = tostring(properties.targetResourceId)",
)


@dataclass
class Advised:
    """A retirement from Advisor or Service Health. `kind` is Advisor's recommendation type."""

    feature: str
    kind: str = ""
    due: str = ""
    title: str = ""
    do: str = ""
    tracking: set[str] = field(default_factory=set)
    resources: dict[str, str] = field(default_factory=dict)
    sources: set[str] = field(default_factory=set)

    @property
    def name(self) -> str:
        return self.feature or self.title

    def touches(self, resource: str) -> None:
        if resource:
            self.resources.setdefault(resource.lower(), resource)

    def take(self, other: Advised) -> None:
        self.title, self.due = self.title or other.title, self.due or other.due
        self.do = self.do or other.do
        self.tracking |= other.tracking
        self.sources |= other.sources
        self.resources = other.resources | self.resources

    def within(self, group: str) -> Advised:
        """Return a copy of this retirement that contains only the affected resources in a resource group."""
        beginning = f"/resourcegroups/{group.lower()}/"
        return replace(self, resources={key: one for key, one in self.resources.items() if beginning in key})


@dataclass(slots=True)
class AdvisedRows:
    """The rows from Advisor and Service Health. `is_cut` is true if more rows exist than were read."""

    advice: Sequence[Row] = ()
    metadata: Sequence[Row] = ()
    events: Sequence[Row] = ()
    impacted: Sequence[Row] = ()
    is_cut: bool = False

    @property
    def retirements(self) -> list[Advised]:
        """The retirements in these rows, soonest first."""
        return _joined(self.advice, self.metadata, self.events, self.impacted)

    async def read_advisor(self, azure: Azure, ids: Sequence[str], *narrowing: str) -> None:
        advice = await _rows(azure, ids, "advisorresources", *narrowing, *_ADVICE)
        metadata = await _rows(azure, ids, "advisorresources", *_METADATA)
        self.advice, self.metadata = advice.items, metadata.items
        self.is_cut = self.is_cut or advice.has_more

    async def read_health(self, azure: Azure, ids: Sequence[str]) -> None:
        events = await _rows(azure, ids, "servicehealthresources", *_EVENTS)
        impacted = await _rows(azure, ids, "servicehealthresources", *_IMPACTED)
        self.events, self.impacted = events.items, impacted.items
        self.is_cut = self.is_cut or events.has_more or impacted.has_more


async def _rows(azure: Azure, ids: Sequence[str], table: str, *steps: str) -> GraphRows:
    return await rows_of(azure.send, ready_made(ids, table, *steps), _MOST)


def _joined(
    advice: Iterable[Row],
    metadata: Iterable[Row],
    events: Iterable[Row],
    impacted: Iterable[Row],
) -> list[Advised]:
    """Combine all rows into one entry per retirement. Advisor identifies a retirement by its name, and Service Health
    by its tracking ID.
    """
    by_name = _of_advisor(advice)
    by_kind = {one.kind: one for one in by_name.values() if one.kind}
    for row in metadata:
        known = by_name.get(_text(row, "feature").casefold()) or by_kind.get(_text(row, "kind"))
        if known:
            known.tracking |= {one.upper() for one in row.get("tracking") or () if isinstance(one, str)}
    found = [*by_name.values()]
    for event in _of_health(events, impacted):
        same = next((one for one in found if one.tracking & event.tracking), None)
        if same:
            same.take(event)
        else:
            found.append(event)
    return sorted(found, key=lambda one: (one.due or "9999", one.feature))


def _of_advisor(advice: Iterable[Row]) -> dict[str, Advised]:
    found: dict[str, Advised] = {}
    for row in advice:
        feature = _text(row, "feature")
        one = found.setdefault(
            feature.casefold(), Advised(feature, _text(row, "kind"), _text(row, "due")[:10], sources={ADVISOR})
        )
        # In some Advisor recommendations, the solution only repeats the problem.
        if _text(row, "solution") != _text(row, "problem"):
            one.do = one.do or _text(row, "solution")
        one.touches(_text(row, "resource"))
    return found


def _of_health(events: Iterable[Row], impacted: Iterable[Row]) -> Iterable[Advised]:
    """Yield the retirements of Service Health, one per event.

    The ID of an affected resource contains the ID of its event.
    """
    found: dict[str, Advised] = {}
    for row in events:
        tracking, title = _text(row, "tracking").upper(), _text(row, "title")
        found.setdefault(
            tracking, Advised("", "", _day(row.get("due")), title, tracking={tracking}, sources={SERVICE_HEALTH})
        )
    for row in impacted:
        _, _, rest = _text(row, "id").lower().partition("/events/")
        if one := found.get(rest.partition("/")[0].upper()):
            one.touches(_text(row, "resource"))
    return found.values()


def _text(row: Mapping[str, Any], name: str) -> str:
    return str(row.get(name) or "")


def _day(value: Any) -> str:
    """Return the day of a time, which is an ISO time or, in Service Health, milliseconds since 1970."""
    text = str(value or "")
    if not text.isdecimal():
        return text[:10]
    try:
        return datetime.fromtimestamp(int(text) / 1000, UTC).date().isoformat()
    except (OverflowError, ValueError, OSError):
        return ""
