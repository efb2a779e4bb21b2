"""Lists recorded changes: old and new values, and who changed them. Azure keeps these records for two weeks."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Annotated, Any, Final, Literal

from clients.azure.change_reading import (
    ABOUT,
    changes_of,
    is_noise,
    is_noisy,
    of_resource,
    plain_value,
    said,
    settings_of,
    when,
)
from clients.azure.graph import text_of
from clients.azure.ids import ResourceId
from clients.azure.messages import ListPage
from clients.azure.resource_scopes import names_of
from clients.azure.times import moment, to_seconds
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from tools.azure.access import Arm
from tools.azure.resource.resources import Detail
from tools.azure.shared.actors import actors_of
from tools.azure.shared.answers import Json, at, many, present
from tools.azure.shared.compact import shortened
from tools.azure.shared.graph_answers import unseen
from tools.azure.shared.parameters import AnyResourceGroup, MaxResults, Since, Subscriptions, Until

part = Part()

_MOST_PATHS: Final = 20

Wanted = Annotated[
    str | None, Field(min_length=1, max_length=2048, description="Id, or a part of the id, such as name or type")
]


@part.tool(Access.READ)
async def list_resource_changes(
    azure: Arm,
    resource: Wanted = None,
    resource_group: AnyResourceGroup = None,
    since: Since = "7d",
    until: Until = None,
    change: Annotated[Literal["Create", "Update", "Delete"] | None, Field(description="Only these")] = None,
    changed_by: Annotated[str | None, Field(min_length=1, max_length=200, description="Part of the name")] = None,
    subscription: Subscriptions = None,
    detail: Detail = "summary",
    max_results: MaxResults = 50,
) -> Json:
    """List what changed in Azure, newest first: when, who, old and new values. Covers 14 days.

    detail=full adds changes by Azure itself.
    """
    asked = await azure.asked_subscriptions(subscription or _subscription_in(resource))
    tests = _tests(resource, resource_group, since, until, change, changed_by)
    found = await changes_of(azure, [one.id for one in asked], tests, max_results)
    rows = sorted((row for one in found for row in one.items), key=when, reverse=True)
    has_more = len(rows) > max_results or any(one.has_more for one in found)
    is_full, newest = detail == "full", rows[:max_results]
    kept = [row for row in newest if is_full or not is_noise(row)]
    told_rows = [_change(row, is_full=is_full) for row in kept]
    actors = await actors_of(azure, (one.get("by") for one in told_rows))
    short = shortened(actors.named(told_rows), "what")
    return many(
        ListPage(short["items"], has_more),
        asked=names_of(asked),
        notRead=next((unseen(one) for one in found if one.subscriptions_left_out), None),
        leftOut=_left_out(len(newest) - len(kept)),
        note=actors.note or None,
        idsBeginWith=short.get("idsBeginWith"),
    )


def _subscription_in(resource: str | None) -> str | None:
    return ResourceId.of(resource).subscription or None if resource and resource.startswith("/") else None


def _tests(
    resource: str | None, group: str | None, since: str, until: str | None, change: str | None, changed_by: str | None
) -> list[str]:
    """Build the conditions that select the requested changes."""
    return [
        f"at >= datetime({moment('since', since)})",
        *([f"at <= datetime({moment('until', until, is_end=True)})"] if until else []),
        *([of_resource(resource)] if resource else []),
        *([f"resourceGroup =~ {text_of(group)}"] if group else []),
        *([f"tostring(properties.changeType) =~ {text_of(change)}"] if change else []),
        *([f"tostring(properties.changeAttributes.changedBy) contains {text_of(changed_by)}"] if changed_by else []),
    ]


def _change(row: Mapping[str, Any], *, is_full: bool) -> Json:
    settings = {path: one for path, one in settings_of(row).items() if is_full or not is_noisy(path)}
    limit = len(settings) if is_full else _MOST_PATHS
    shown = {
        "at": to_seconds(when(row)),
        "by": at(row, f"{ABOUT}.changedBy"),
        "byType": at(row, f"{ABOUT}.changedByType"),
        "with": said(at(row, f"{ABOUT}.clientType")),
        "change": at(row, "properties.changeType"),
        "what": at(row, "properties.targetResourceId") or row.get("what"),
        "settings": [_setting(path, one) for path, one in islice(settings.items(), limit)],
        "moreSettings": max(len(settings) - limit, 0) or None,
        "operation": said(at(row, f"{ABOUT}.operation")) if is_full else None,
        "correlationId": at(row, f"{ABOUT}.correlationId") if is_full else None,
    }
    return present(shown)


def _setting(path: str, values: Any) -> Json:
    before, after = (plain_value(at(values, name)) for name in ("previousValue", "newValue"))
    return present({"path": path, "from": before, "to": after})


def _left_out(number: int) -> str | None:
    return (
        f"{number} updates that changed only states or times are omitted; detail=full shows them." if number else None
    )
