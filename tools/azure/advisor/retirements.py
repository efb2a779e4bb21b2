"""What Azure retires, and which resources that touches, as Advisor and Service Health know it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Annotated, Any, Final

from pydantic import Field

from clients.azure.client import Azure
from clients.azure.graph import GraphRows, ready_made, rows_of, text_of
from clients.messages import ListPage
from mcp_server.declarations.toolset import Access, Part
from tools.azure.access import Arm
from tools.azure.resource.resource_scopes import Subscriptions, told
from tools.azure.shared.answers import Json, many, present
from tools.azure.shared.compact import shortened
from tools.azure.shared.parameters import AnyResourceGroup, MaxResults

part = Part()

_MOST: Final = 1000
_MOST_RESOURCES: Final = 25
_NO_PROOF: Final = (
    "What Advisor and Service Health know: neither knows all retirements nor all resources, so that something is not"
    " here is no proof that it stays."
)
_ELSEWHERE: Final = "search_azure_updates finds retirements that were announced."
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
class Retirement:
    """One retirement, as several sources tell of it. `kind` is what Advisor calls such recommendations."""

    feature: str
    kind: str = ""
    due: str = ""
    title: str = ""
    tracking: set[str] = field(default_factory=set)
    resources: dict[str, str] = field(default_factory=dict)
    sources: set[str] = field(default_factory=set)

    def touches(self, resource: str) -> None:
        if resource:
            self.resources.setdefault(resource.lower(), resource)

    def take(self, other: Retirement) -> None:
        self.title, self.due = self.title or other.title, self.due or other.due
        self.tracking |= other.tracking
        self.sources |= other.sources
        self.resources = other.resources | self.resources

    def within(self, group: str) -> Retirement:
        """The same as far as it touches a resource group."""
        beginning = f"/resourcegroups/{group.lower()}/"
        return replace(self, resources={key: one for key, one in self.resources.items() if beginning in key})


@part.tool(Access.READ, harmless=("subscription", "resource_group"))
async def list_retiring_resources(
    azure: Arm,
    resource: Annotated[str | None, Field(min_length=1, max_length=2048, description="Id, type or a part")] = None,
    resource_group: AnyResourceGroup = None,
    subscription: Subscriptions = None,
    max_results: MaxResults = 30,
) -> Json:
    """List what Azure will retire that touches your resources, soonest first: date, tracking ids, the resources.

    search_azure_updates tells what was announced, also of what touches nobody here.
    """
    asked = await azure.asked_subscriptions(subscription)
    ids = [one.id for one in asked]
    narrowing = [f"where resourceGroup =~ {text_of(resource_group)}"] if resource_group else []
    advice = await _rows(azure, ids, "advisorresources", *narrowing, *_ADVICE)
    metadata = await _rows(azure, ids, "advisorresources", *_METADATA)
    events = await _rows(azure, ids, "servicehealthresources", *_EVENTS)
    impacted = await _rows(azure, ids, "servicehealthresources", *_IMPACTED)
    found = _joined(advice.items, metadata.items, events.items, impacted.items)
    within = [one.within(resource_group) for one in found] if resource_group else found
    wanted = [one for one in within if _is_meant(one, resource, resource_group)]
    short = shortened(({"resource": one} for item in wanted for one in item.resources.values()), "resource")
    beginning = short.get("idsBeginWith", "")
    is_cut = any(one.has_more for one in (advice, events, impacted))
    page = ListPage([_shown(one, beginning) for one in wanted[:max_results]], is_cut or len(wanted) > max_results)
    note = _NO_PROOF if wanted else f"{_NO_PROOF} {_ELSEWHERE}"
    return many(page, asked=told(asked), idsBeginWith=beginning or None, note=note)


async def _rows(azure: Azure, ids: Sequence[str], table: str, *steps: str) -> GraphRows:
    return await rows_of(azure.send, ready_made(ids, table, *steps), _MOST)


def _joined(
    advice: Iterable[Mapping[str, Any]],
    metadata: Iterable[Mapping[str, Any]],
    events: Iterable[Mapping[str, Any]],
    impacted: Iterable[Mapping[str, Any]],
) -> list[Retirement]:
    """One entry for each retirement. What Advisor calls by a name, Service Health calls by a tracking id."""
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


def _of_advisor(advice: Iterable[Mapping[str, Any]]) -> dict[str, Retirement]:
    found: dict[str, Retirement] = {}
    for row in advice:
        feature = _text(row, "feature")
        one = found.setdefault(
            feature.casefold(), Retirement(feature, _text(row, "kind"), _text(row, "due")[:10], sources={"Advisor"})
        )
        one.touches(_text(row, "resource"))
    return found


def _of_health(events: Iterable[Mapping[str, Any]], impacted: Iterable[Mapping[str, Any]]) -> Iterable[Retirement]:
    """An event is told once for each subscription; what it touches names it by a part of its own id."""
    found: dict[str, Retirement] = {}
    for row in events:
        tracking, title = _text(row, "tracking").upper(), _text(row, "title")
        found.setdefault(
            tracking, Retirement("", "", _day(row.get("due")), title, {tracking}, sources={"Service Health"})
        )
    for row in impacted:
        place = _text(row, "id")
        _, _, rest = place.lower().partition("/events/")
        if one := found.get(rest.partition("/")[0].upper()):
            one.touches(_text(row, "resource"))
    return found.values()


def _text(row: Mapping[str, Any], name: str) -> str:
    return str(row.get(name) or "")


def _day(value: Any) -> str:
    """A day of milliseconds since 1970, as Service Health has them, or of a time."""
    text = str(value or "")
    if not text.isdecimal():
        return text[:10]
    try:
        return datetime.fromtimestamp(int(text) / 1000, UTC).date().isoformat()
    except (OverflowError, ValueError, OSError):
        return ""


def _is_meant(one: Retirement, resource: str | None, group: str | None) -> bool:
    """What touches nothing that is known may touch anything, unless somebody asks for something."""
    part_of_id = (resource or "").strip().lower()
    within = f"/resourcegroups/{group.lower()}/" if group else ""
    if not part_of_id and not within:
        return True
    return any(part_of_id in own and within in own for own in one.resources)


def _shown(one: Retirement, beginning: str) -> Json:
    ids = [own[len(beginning) :] for own in one.resources.values()]
    is_past = bool(one.due) and one.due < datetime.now(UTC).date().isoformat()
    return present(
        {
            "retires": one.feature or one.title,
            "on": one.due,
            "past": is_past or None,
            "title": one.title if one.feature and one.title != one.feature else None,
            "tracking_ids": sorted(one.tracking),
            "resources": ids[:_MOST_RESOURCES],
            "more_resources": len(ids) - _MOST_RESOURCES if len(ids) > _MOST_RESOURCES else None,
            "says": sorted(one.sources),
        }
    )
