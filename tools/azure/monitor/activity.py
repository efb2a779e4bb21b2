"""Shows the activity log: who did what, and what failed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Annotated, Any, Final, Literal

from clients.answers import Extent
from clients.azure import activity
from clients.azure.activity import Event, Sought
from clients.azure.client import Azure
from clients.azure.failures import Failure
from clients.azure.ids import ResourceId
from clients.azure.messages import ListPage
from clients.azure.named import place_called
from clients.azure.secret_texts import without_secrets
from clients.azure.times import span, to_seconds
from clients.decoding import decoded
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from tools.azure.access import Arm
from tools.azure.shared.actors import actors_of
from tools.azure.shared.answers import Json, at, many, present
from tools.azure.shared.compact import shortened
from tools.azure.shared.everywhere import SubscriptionRows, in_each
from tools.azure.shared.parameters import AnyResourceGroup, MaxResults, Since, Subscription, Until

part = Part()

_LONGEST_REASON: Final = 300
_DONE: Final = frozenset({"succeeded", "failed", "canceled", "active", "resolved"})
# The estimated maximum number of log events per operation, for example one for the start and one for the end.
_MOST_EVENTS_OF_ONE: Final = 3

_Operation = tuple[str, ...]
AnyResource = Annotated[
    str | None, Field(min_length=1, max_length=2048, description="Id or full name; not with resource_group")
]


@part.tool(
    Access.READ, harmless=("resource_group", "since", "until", "status", "include_reads", "subscription", "max_results")
)
async def list_activity_log(
    azure: Arm,
    since: Since = "1d",
    until: Until = None,
    resource: AnyResource = None,
    resource_group: AnyResourceGroup = None,
    caller: Annotated[
        str | None, Field(min_length=1, max_length=200, description="Part of name, or an app's id")
    ] = None,
    status: Annotated[Literal["Succeeded", "Failed"] | None, Field(description="Only these")] = None,
    correlation_id: Annotated[str | None, Field(pattern=r"^[0-9a-fA-F-]{36}$", description="Only its events")] = None,
    include_reads: Annotated[bool, Field(description="Include operations that change nothing")] = False,
    detail: Annotated[Extent, Field(description="full: every event, with responses")] = "summary",
    subscription: Subscription = None,
    max_results: MaxResults = 50,
) -> Json:
    """List who did what in Azure and when, newest first; also health and autoscale events. Azure keeps events for 90
    days.
    """
    about, is_full = span(since, until), detail == "full"
    left_out: set[_Operation] = set()
    place = await place_called(azure, resource) if resource else None
    sought = Sought(
        span=about,
        resource=place.text if place else "",
        group=resource_group or "",
        correlation=correlation_id or "",
        is_wanted=_chosen(caller, status, None if include_reads else left_out),
        with_reasons=is_full or status == "Failed" or bool(correlation_id),
    )
    most = max_results * (1 if is_full else _MOST_EVENTS_OF_ONE)

    async def read(scope: ResourceId) -> ListPage:
        page = await activity.events(azure, scope.subscription, sought, most)
        events = page.items if is_full else _operations(page.items)
        return replace(page, items=[_event(event, is_full=is_full) for event in events])

    where = place.subscription if place else subscription
    found = await in_each(azure, where, read, max_results, order=_when, descending=True)
    return await _listed(azure, found, len(left_out))


async def _listed(azure: Azure, found: SubscriptionRows, left_out: int) -> Json:
    """Return the events, each with the name of the person or app that caused it. The prefix that all resource ids share
    appears only once.
    """
    actors = await actors_of(azure, (item.get("by") for item in found.page.items))
    short = shortened(actors.named(found.page.items), "what")
    page, beginning = replace(found.page, items=short["items"]), short.get("idsBeginWith")
    said = {**found.said, "leftOut": _left_out(left_out), "note": actors.note or None}
    return many(page, None, **said, idsBeginWith=beginning)


def _when(record: Json) -> str:
    return str(record.get("at") or "")


def _left_out(number: int) -> str | None:
    return (
        f"{number} operations that change nothing are omitted. Pass include_reads=true to include these operations."
        if number
        else None
    )


def _chosen(caller: str | None, status: str | None, left_out: set[_Operation] | None) -> Any:
    """Return a filter for events, or None to keep all events.

    The filter excludes operations that change nothing, and adds them to `left_out`.
    """
    if not caller and not status and left_out is None:
        return None

    def matches(event: Event) -> bool:
        by, ended = str(event.get("caller") or "").lower(), str(at(event, "status.value")).lower()
        return (not caller or caller.lower() in by) and (not status or ended == status.lower())

    def is_wanted(event: Event) -> bool:
        if not matches(event):
            return False
        if left_out is None or not activity.changes_nothing(event):
            return True
        left_out.add(_operation_of(event))
        return False

    return is_wanted


def _operation_of(event: Event) -> _Operation:
    return tuple(str(at(event, name)).lower() for name in ("correlationId", "operationName.value", "resourceId"))


def _operations(events: Iterable[Event]) -> list[Event]:
    """Return one event per operation: the event that contains the result or, if there is none, the newest event."""
    found: dict[_Operation, Event] = {}
    for event in events:
        key = _operation_of(event)
        if key not in found or (_has_ended(event) and not _has_ended(found[key])):
            found[key] = event
    return list(found.values())


def _has_ended(event: Event) -> bool:
    return str(at(event, "status.value")).lower() in _DONE


def _event(event: Event, *, is_full: bool) -> Json:
    category, status = at(event, "category.value"), at(event, "status.value")
    fields = {
        "at": to_seconds(event.get("eventTimestamp")),
        "by": event.get("caller"),
        "operation": at(event, "operationName.value"),
        "status": None if status == "Succeeded" and not is_full else status,
        "what": event.get("resourceId"),
        "category": None if category == "Administrative" else category,
        "level": None if event.get("level") == "Informational" else event.get("level"),
        "about": event.get("description") or at(event, "properties.title"),
        "why": _reason(event),
        "correlationId": event.get("correlationId") if is_full else None,
    }
    return present(fields)


def _reason(event: Event) -> str | None:
    """Return Azure's error message for a failed operation."""
    text = at(event, "properties.statusMessage")
    if not isinstance(text, str) or str(at(event, "status.value")).lower() != "failed":
        return None
    words = _words(text)
    return f"{words[:_LONGEST_REASON]}…" if len(words) > _LONGEST_REASON else words


def _words(text: str) -> str:
    try:
        failure = Failure.in_document(decoded(text))
    except (ValueError, RecursionError):
        return " ".join(text.split())
    return without_secrets(" ".join(f"{failure.code}: {failure.words}".split())) if failure.code else ""
