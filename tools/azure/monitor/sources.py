"""Finds the source of logs: a workspace, an app, or a resource that sends logs to a workspace."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

from clients.azure.client import Azure
from clients.azure.graph import ready_made, rows_of, text_of
from clients.azure.ids import ResourceId
from clients.azure.logs import COMPONENTS, WORKSPACES, ResourceLogs
from clients.azure.messages import of_id
from clients.azure.resource_scopes import names_of
from mcp_server.declarations.field import Field
from refusal import Refusal

_VERSION: Final = "2020-02-02"
_MOST_NAMED: Final = 10
_COLUMNS: Final = "project id, type, tags, properties"
_IS_OF_LOGS: Final = f"where type in~ ('{WORKSPACES}', '{COMPONENTS}')"
_HIDDEN_LINK: Final = "hidden-link:"
_NO_COMPONENT: Final = (
    "{name} is not an Application Insights component, and its resource group does not contain one. Pass the"
    " component that gets the telemetry of {name}, or use query_logs for the logs that {name} itself writes to a"
    " workspace."
)

LogSource = Annotated[
    str,
    Field(
        min_length=1,
        max_length=2048,
        description="Name or id: Log Analytics workspace, Application Insights, or a resource that logs to either",
    ),
]
AppName = Annotated[
    str,
    Field(min_length=1, max_length=2048, description="Name or id of Application Insights, or of an app it monitors"),
]


async def log_source(azure: Azure, text: str) -> ResourceLogs:
    """Return the resource with this id or name.

    Workspaces and Application Insights components take precedence over other resources with the same name.

    Raises:
        Refusal: The name is unknown or ambiguous. The message lists the candidates.
    """
    if text.strip().startswith("/"):
        return await _source_at(azure, ResourceId.of(text))
    asked = await azure.asked_subscriptions(None)
    quoted = text_of(text.strip())
    tests = (f"name =~ {quoted}", *(f"tostring(properties.{own}) =~ {quoted}" for own in ("customerId", "AppId")))
    rows = await _rows(azure, [one.id for one in asked], f"where {' or '.join(tests)}")
    if not rows:
        raise Refusal(
            f"No resource with this name found in {names_of(asked)}. Use list_resources to list workspaces"
            " (resource_type=Microsoft.OperationalInsights/workspaces) or Application Insights"
            " (microsoft.insights/components)."
        )
    return _only([row for row in rows if _type(row) in {WORKSPACES, COMPONENTS}] or rows)


async def app_source(azure: Azure, text: str) -> ResourceLogs:
    """Return the Application Insights component with this name, or the one that monitors the app with this name."""
    found = await log_source(azure, text)
    if found.is_workspace or found.id.type.lower() == COMPONENTS:
        return found
    tests = (_IS_OF_LOGS, f"where type =~ '{COMPONENTS}'", f"where resourceGroup =~ {text_of(found.id.group)}")
    rows = await _rows(azure, [found.id.subscription], *tests)
    watching = [row for row in rows if _watches(row, found.id)]
    if not rows:
        raise Refusal(_NO_COMPONENT.format(name=found.id.name))
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
        raise Refusal(f"Several resources match. Pass the id of one: {ids}.")
    (row,) = rows
    properties = row.get("properties")
    return ResourceLogs.of(ResourceId.of(str(row.get("id"))), properties if isinstance(properties, Mapping) else {})


def _type(row: Mapping[str, Any]) -> str:
    return str(row.get("type")).lower()


def _watches(row: Mapping[str, Any], app: ResourceId) -> bool:
    """Check whether a component belongs to an app: the component has the same name, or a tag that links to the app."""
    tags = row.get("tags")
    links = {str(name).lower() for name in tags} if isinstance(tags, Mapping) else set[str]()
    return f"{_HIDDEN_LINK}{app.text}".lower() in links or str(row.get("id")).lower().endswith(f"/{app.name.lower()}")
