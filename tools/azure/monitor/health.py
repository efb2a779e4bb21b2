"""Shows the health of resources, and of the Azure services that they use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any, Final, Literal

from clients.azure import health
from clients.azure.client import Azure
from clients.azure.ids import ResourceId
from clients.azure.named import place_called
from clients.azure.times import moment, to_seconds
from clients.messages import ListPage, combined
from clients.side_by_side import side_by_side
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from text.markdown import plain, to_markdown
from tools.azure.access import Arm
from tools.azure.shared.answers import Json, answer, at, present, shape
from tools.azure.shared.compact import shortened
from tools.azure.shared.everywhere import listed, scopes_asked
from tools.azure.shared.parameters import IdOrName, MaxResults, Since, Subscription

part = Part()

_LONGEST_SUMMARY: Final = 300
_LONGEST_TEXT: Final = 4000
_MOST_STATES: Final = 10
_MOST_EVENTS: Final = 10
_KINDS: Final = {
    "issue": "ServiceIssue",
    "maintenance": "PlannedMaintenance",
    "advisory": "HealthAdvisory",
    "retirement": "HealthAdvisory",
    "security": "SecurityAdvisory",
}
_STATE: Final = shape(
    state="properties.availabilityState",
    reason="properties.reasonType",
    cause="properties.context",
    summary="properties.summary",
)

Kind = Literal["issue", "maintenance", "advisory", "retirement", "security"]
Tracking = Annotated[
    str | None,
    Field(pattern=r"^[\w.-]+$", max_length=100, description="Show this event in full, with affected resources"),
]


@part.tool(Access.READ)
async def show_resource_health(azure: Arm, resource: IdOrName) -> Json:
    """Show whether a resource is available according to Azure (if not, why), with recent states and service events."""
    place = await place_called(azure, resource)
    now = await health.state_now(azure, place)
    pages: dict[str, ListPage] = {}

    async def read(name: str) -> None:
        ask = health.states_lately if name == "history" else health.events_of
        pages[name] = await ask(azure, place, _MOST_STATES if name == "history" else _MOST_EVENTS)

    reading = await side_by_side({"history": "history", "events": "events"}, read)
    return answer(
        resource=place.text,
        **_state(now),
        actions=[action for one in _list(at(now, "properties.recommendedActions")) if (action := at(one, "action"))],
        history=[_state(one) for one in _before(pages.get("history"))],
        events=[_event(one) for one in pages["events"].items] if "events" in pages else None,
        notRead=reading.said("parts").get("notRead"),
    )


def _state(record: Mapping[str, Any]) -> Json:
    # Azure spells `occuredTime` this way.
    return present({"since": to_seconds(at(record, "properties.occuredTime")), **_STATE(record)})


def _before(page: ListPage | None) -> list[Mapping[str, Any]]:
    """Return the previous health states, without the current state."""
    return [one for one in page.items if one.get("name") != "current"] if page else []


@part.tool(Access.READ, harmless=("since", "kind", "tracking_id", "subscription", "max_results"))
async def list_service_health_events(
    azure: Arm,
    since: Since = "30d",
    kind: Annotated[Kind | None, Field(description="Only these")] = None,
    tracking_id: Tracking = None,
    subscription: Subscription = None,
    max_results: MaxResults = 20,
) -> Json:
    """List Azure service events that affect a subscription: issues, planned maintenance, advisories."""
    if tracking_id:
        return await _in_full(azure, subscription, tracking_id, max_results)
    begin, asked_kind = datetime.fromisoformat(moment("since", since)), _KINDS.get(kind or "", "")

    async def read(scope: ResourceId) -> ListPage:
        page = await health.service_events(azure, scope.subscription, begin, max_results, asked_kind)
        return replace(page, items=[one for one in page.items if kind != "retirement" or _is_retirement(one)])

    return await listed(azure, subscription, read, max_results, _event)


async def _in_full(azure: Azure, subscription: str | None, tracking: str, limit: int) -> Json:
    """Return a service health event, with the affected resources in all subscriptions."""
    scopes = await scopes_asked(azure, subscription)
    affected: dict[str, ListPage] = {}
    events: list[Mapping[str, Any]] = []

    async def ask(name: str) -> None:
        events.append(await health.service_event(azure, scopes[name].subscription, tracking))
        affected[name] = await health.impacted_resources(azure, scopes[name].subscription, tracking, limit)

    reading = await side_by_side({name: name for name in scopes}, ask)
    reading.refuse_if_none("subscriptions")
    return _event_in_full(events[0], combined(affected[name] for name in scopes if name in affected))


def _event_in_full(event: Mapping[str, Any], affected: ListPage) -> Json:
    ids = [{"id": at(one, "properties.targetResourceId")} for one in affected.items]
    short = shortened(ids, "id")
    return answer(
        **{**_event(event), "summary": _text(event, _LONGEST_TEXT)},
        more="There are more resources: raise max_results." if affected.has_more else None,
        out_of_reach=affected.left_out or None,
        idsBeginWith=short.get("idsBeginWith"),
        resources=[one.get("id") for one in short["items"]],
    )


def _event(event: Mapping[str, Any]) -> Json:
    impact = [one for one in _list(at(event, "properties.impact")) if isinstance(one, Mapping)]
    regions = [str(at(one, "impactedRegion")) for each in impact for one in _list(each.get("impactedRegions"))]
    fields = {
        "id": event.get("name"),
        "kind": "Retirement" if _is_retirement(event) else at(event, "properties.eventType"),
        "status": at(event, "properties.status"),
        "title": at(event, "properties.title"),
        "from": to_seconds(at(event, "properties.impactStartTime")),
        "until": to_seconds(at(event, "properties.impactMitigationTime")),
        "services": [str(one.get("impactedService")) for one in impact],
        "regions": list(dict.fromkeys(regions)),
        "summary": _text(event, _LONGEST_SUMMARY),
    }
    return present(fields)


def _is_retirement(event: Mapping[str, Any]) -> bool:
    return str(at(event, "properties.eventSubType")).lower() == "retirement"


def _text(event: Mapping[str, Any], length: int) -> str | None:
    """Return the summary without markup, or None if it only repeats the title."""
    words = " ".join(plain(to_markdown(str(at(event, "properties.summary") or ""))).split())
    if words == str(at(event, "properties.title")).strip():
        return None
    return f"{words[:length]}…" if len(words) > length else words


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
