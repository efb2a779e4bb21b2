"""Lists recent deployments of an app, and shows the log of a deployment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final

from clients.azure.apps.deployments import AppDeployment, recent_deployments
from clients.azure.apps.finding import AzureApp, app_called
from clients.azure.apps.parts import deployment_log
from clients.azure.client import Azure
from clients.azure.messages import ListPage
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.access import Arm
from tools.azure.apps.app_parameters import OF_APP, AppName
from tools.azure.shared.answers import Json, many, present
from tools.azure.shared.parameters import MaxResults, Subscription

part = Part()

_LONGEST_MESSAGE: Final = 500
_MOST_LINES: Final = 60
_OF_REVISIONS: Final = "Each item is a revision. Use list_resource_changes to see who created a revision."
_OF_CLUSTERS: Final = (
    "Deployments to AKS are visible only inside the cluster. Use list_resource_changes for changes to the cluster."
)

DeploymentId = Annotated[
    str | None, Field(min_length=1, max_length=200, description=("Show the log of the deployment with this id"))
]


@part.tool(Access.READ, harmless=(*OF_APP, "deployment"))
async def list_app_deployments(
    azure: Arm,
    app: AppName,
    deployment: DeploymentId = None,
    subscription: Subscription = None,
    max_results: MaxResults = 10,
) -> Json:
    """List recent deployments of an app (for a container app, its revisions): when, who, commit, outcome.

    With `deployment`, shows the log of that deployment.
    """
    found = await app_called(azure, app, subscription)
    if deployment:
        return await _log(azure, found, deployment)
    page = await recent_deployments(azure, found.id, max_results)
    note = None if found.is_site else (_OF_REVISIONS if found.is_container_app else _OF_CLUSTERS)
    return many(ListPage([shown(one) for one in page.items], page.has_more, page.left_out), note=note)


def shown(one: AppDeployment) -> Json:
    return present(
        {
            "id": one.id,
            "at": one.at,
            "state": one.state,
            "ended": one.ended,
            "who": one.who,
            "commit": one.commit if one.commit != one.id else None,
            "by_way_of": one.by_way_of,
            "message": one.message[:_LONGEST_MESSAGE],
            "image": one.image,
            "active": one.is_active or None,
        }
    )


async def _log(azure: Azure, app: AzureApp, deployment: str) -> Json:
    if not app.is_site:
        raise Refusal("Only deployments of web and function apps have a log. Use show_app_logs for other apps.")
    lines = [_line(entry) for entry in await deployment_log(azure, app.id, deployment)]
    # Only the last lines of a log are returned, because errors are at the end.
    return many(ListPage(lines[-_MOST_LINES:]), earlier=len(lines) - _MOST_LINES if len(lines) > _MOST_LINES else None)


def _line(entry: Mapping[str, Any]) -> Json:
    is_error = entry.get("type") not in (None, 0, "0", "Message")
    message = str(entry.get("message") or "")[:_LONGEST_MESSAGE]
    return present({"at": entry.get("log_time"), "error": is_error or None, "message": message})
