"""Whose logs are meant: a workspace, an app, or any resource that writes into a workspace."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

from pydantic import Field

from clients.azure.client import Azure
from clients.azure.graph import ready_made, rows_of, text_of
from clients.azure.ids import ResourceId
from clients.azure.logs import COMPONENTS, WORKSPACES, ResourceLogs
from clients.azure.messages import of_id
from clients.azure.resource_scopes import told
from refusal import Refusal

_VERSION: Final = "2020-02-02"
_MOST_NAMED: Final = 10
_COLUMNS: Final = "project id, type, tags, properties"
_IS_OF_LOGS: Final = f"where type in~ ('{WORKSPACES}', '{COMPONENTS}')"
_HIDDEN_LINK: Final = "hidden-link:"

LogSource = Annotated[
    str,
    Field(
        min_length=1,
        max_length=2048,
        description="Log Analytics workspace, Application Insights, or a resource that logs into one: its name or id",
    ),
]
AppName = Annotated[
    str, Field(min_length=1, max_length=2048, description="Application Insights or an app it watches: its name or id")
]


async def meant_source(azure: Azure, text: str) -> ResourceLogs:
    """What has this id or name; of several that have the name, what was made for logs.

    Raises:
        Refusal: None has it, or several have; the text says which.
    """
    if text.strip().startswith("/"):
        return await _source_at(azure, ResourceId.of(text))
    asked = await azure.asked_subscriptions(None)
    quoted = text_of(text.strip())
    tests = (f"name =~ {quoted}", *(f"tostring(properties.{own}) =~ {quoted}" for own in ("customerId", "AppId")))
    rows = await _rows(azure, [one.id for one in asked], f"where {' or '.join(tests)}")
    if not rows:
        raise Refusal(
            f"Nothing in {told(asked)} has this name. list_resources names workspaces by"
            " resource_type=Microsoft.OperationalInsights/workspaces, and Application Insights by"
            " microsoft.insights/components."
        )
    return _only([row for row in rows if _type(row) in {WORKSPACES, COMPONENTS}] or rows)


async def meant_app(azure: Azure, text: str) -> ResourceLogs:
    """The Application Insights that is meant, or that watches the app that is.

    Raises:
        Refusal: None does, or several do; the text says which.
    """
    found = await meant_source(azure, text)
    if found.is_workspace or found.id.type.lower() == COMPONENTS:
        return found
    tests = (_IS_OF_LOGS, f"where type =~ '{COMPONENTS}'", f"where resourceGroup =~ {text_of(found.id.group)}")
    rows = await _rows(azure, [found.id.subscription], *tests)
    watching = [row for row in rows if _watches(row, found.id)]
    if not rows:
        raise Refusal(
            f"{found.id.name} is no Application Insights, and there is none in its resource group. Pass the name of"
            f" that to which it sends; query_logs reads what {found.id.name} itself writes into a workspace."
        )
    return _only(watching or rows)


async def _source_at(azure: Azure, place: ResourceId) -> ResourceLogs:
    if place.type.lower() != COMPONENTS:
        return ResourceLogs(place)
    record = await azure.json(of_id("GET", place, version=_VERSION))
    return ResourceLogs.of(place, record.get("properties") or {})


async def _rows(azure: Azure, subscriptions: Sequence[str], *steps: str) -> list[dict[str, Any]]:
    request = ready_made(subscriptions, "resources", *steps, _COLUMNS, "order by id asc")
    return (await rows_of(azure.send, request, _MOST_NAMED)).items


def _only(rows: Sequence[Mapping[str, Any]]) -> ResourceLogs:
    if len(rows) > 1:
        ids = ", ".join(str(row.get("id")) for row in rows)
        raise Refusal(f"Several could be meant. Pass the id of one: {ids}.")
    (row,) = rows
    properties = row.get("properties")
    return ResourceLogs.of(ResourceId.of(str(row.get("id"))), properties if isinstance(properties, Mapping) else {})


def _type(row: Mapping[str, Any]) -> str:
    return str(row.get("type")).lower()


def _watches(row: Mapping[str, Any], app: ResourceId) -> bool:
    """Whether a component says by a tag that it watches an app, or is called like it."""
    tags = row.get("tags")
    links = {str(name).lower() for name in tags} if isinstance(tags, Mapping) else set[str]()
    return f"{_HIDDEN_LINK}{app.text}".lower() in links or str(row.get("id")).lower().endswith(f"/{app.name.lower()}")
