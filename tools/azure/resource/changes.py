"""What was changed, from what to what, by whom: Azure keeps it for two weeks."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from clients.azure.client import Azure
from clients.azure.graph import Rows, ready_made, rows_of, text_of
from clients.azure.ids import ResourceId
from clients.azure.messages import Page
from mcp_server.declarations.toolset import Access, Part
from tools.azure.provider import Arm
from tools.azure.resource.graph_answers import unseen
from tools.azure.resource.places import Subscriptions, meant, shortened, told
from tools.azure.resource.resources import Detail
from tools.azure.shared.answers import Json, at, many, present
from tools.azure.shared.parameters import AnyResourceGroup, MaxResults
from tools.azure.shared.times import Since, Until, moment

part = Part()

_TABLES: Final = ("resourcechanges", "resourcecontainerchanges")
_LONGEST_VALUE: Final = 200
_MOST_PATHS: Final = 20
# Settings that Azure itself changes whenever anything is done.
_NOISE: Final = (
    "provisioningstate etag changedtime lastmodifiedtime lastmodifiedtimeutc lastmodifiedat lastmodifiedby"
    " lastmodifiedbytype lastmodified updatedtime lastupdatedtime resourceguid instanceid"
).split()

Wanted = Annotated[str | None, Field(min_length=1, max_length=2048, description="Id, or a part: name or type")]


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
    """List what changed in Azure, newest first: when, who, and each setting from what to what. 14 days are kept.

    It has what was created and deleted, too. What Azure changes by itself is left out but with detail=full.
    """
    asked = await meant(azure, subscription or _subscription_in(resource))
    steps = _steps(resource, resource_group, since, until, change, changed_by)
    found = [await _rows(azure, [one.id for one in asked], table, steps, max_results) for table in _TABLES]
    rows = sorted((row for one in found for row in one.items), key=_when, reverse=True)
    has_more = len(rows) > max_results or any(one.has_more for one in found)
    is_full, newest = detail == "full", rows[:max_results]
    kept = [row for row in newest if is_full or not _is_noise(row)]
    short = shortened((_change(row, is_full=is_full) for row in kept), "what")
    return many(
        Page(short["items"], has_more),
        asked=told(asked),
        notRead=next((unseen(one) for one in found if one.subscriptions_left_out), None),
        leftOut=_left_out(len(newest) - len(kept)),
        idsBeginWith=short.get("idsBeginWith"),
    )


def _subscription_in(resource: str | None) -> str | None:
    return ResourceId.of(resource).subscription or None if resource and resource.startswith("/") else None


def _steps(
    resource: str | None,
    group: str | None,
    since: str,
    until: str | None,
    change: str | None,
    changed_by: str | None,
) -> list[str]:
    """From the rows of a table of changes to those that are meant, the newest first."""
    tests = [
        f"at >= datetime({moment('since', since)})",
        *([f"at <= datetime({moment('until', until, is_end=True)})"] if until else []),
        *([_of_resource(resource)] if resource else []),
        *([f"resourceGroup =~ {text_of(group)}"] if group else []),
        *([f"tostring(properties.changeType) =~ {text_of(change)}"] if change else []),
        *([f"tostring(properties.changeAttributes.changedBy) contains {text_of(changed_by)}"] if changed_by else []),
    ]
    return [
        "extend at = todatetime(properties.changeAttributes.timestamp), what = tostring(properties.targetResourceId)",
        *(f"where {test}" for test in tests),
        "project id, at, what, properties",
        "order by at desc",
    ]


def _of_resource(resource: str) -> str:
    """A resource with all below it, or all whose id has these letters."""
    if not resource.startswith("/"):
        return f"what contains {text_of(resource)}"
    place = ResourceId.of(resource).text
    return f"(what =~ {text_of(place)} or what startswith {text_of(place + '/')})"


async def _rows(azure: Azure, subscriptions: Sequence[str], table: str, steps: Sequence[str], limit: int) -> Rows:
    return await rows_of(azure.send, ready_made(subscriptions, table, *steps), limit)


def _when(row: Mapping[str, Any]) -> str:
    return str(at(row, "properties.changeAttributes.timestamp") or row.get("at") or "")


def _change(row: Mapping[str, Any], *, is_full: bool) -> Json:
    about = "properties.changeAttributes"
    settings = {path: one for path, one in _settings(row).items() if is_full or not _is_noisy(path)}
    limit = len(settings) if is_full else _MOST_PATHS
    shown = {
        "at": _when(row),
        "by": at(row, f"{about}.changedBy"),
        "byType": at(row, f"{about}.changedByType"),
        "with": _said(at(row, f"{about}.clientType")),
        "change": at(row, "properties.changeType"),
        "what": at(row, "properties.targetResourceId") or row.get("what"),
        "settings": [_setting(path, one) for path, one in islice(settings.items(), limit)],
        "moreSettings": max(len(settings) - limit, 0) or None,
        "operation": _said(at(row, f"{about}.operation")) if is_full else None,
        "correlationId": at(row, f"{about}.correlationId") if is_full else None,
    }
    return present(shown)


def _settings(row: Mapping[str, Any]) -> dict[str, Any]:
    found = at(row, "properties.changes")
    return {str(path): one for path, one in found.items()} if isinstance(found, Mapping) else {}


def _setting(path: str, values: Any) -> Json:
    """One setting: what is not there before or after is left out. Azure writes it as the text `null`."""
    before, after = (_value(at(values, name)) for name in ("previousValue", "newValue"))
    return present({"path": path, "from": before, "to": after})


def _value(value: Any) -> Any:
    if value in (None, "null"):
        return None
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if len(text) > _LONGEST_VALUE:
        return f"{text[:_LONGEST_VALUE]}…"
    return value


def _said(value: Any) -> Any:
    return None if value == "Unspecified" else value


def _is_noisy(path: str) -> bool:
    return path.rpartition(".")[2].lower() in _NOISE or path.lower().startswith("systemdata")


def _is_noise(row: Mapping[str, Any]) -> bool:
    settings = _settings(row)
    return bool(settings) and at(row, "properties.changeType") == "Update" and all(map(_is_noisy, settings))


def _left_out(number: int) -> str | None:
    return f"{number} updates of nothing but states and times: detail=full has them." if number else None
