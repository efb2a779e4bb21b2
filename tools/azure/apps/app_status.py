"""Shows the state, runtime and configuration of one app."""

from __future__ import annotations

from typing import Annotated

from clients.azure.apps.finding import app_called
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.access import Arm
from tools.azure.apps import clusters, container_apps, sites
from tools.azure.apps.app_parameters import OF_APP, AppName, about
from tools.azure.shared.answers import Json, answer
from tools.azure.shared.parameters import Subscription

part = Part()

WithSettings = Annotated[bool, Field(description="Also show names of app settings; requires Website Contributor")]


@part.tool(Access.READ, harmless=(*OF_APP, "settings"))
async def show_app(azure: Arm, app: AppName, settings: WithSettings = False, subscription: Subscription = None) -> Json:
    """Show an app: state, runtime, plan, hosts, health check, identity, slots, scale, revisions, pools, upgrades.

    For settings and secrets, shows the names, not the values.
    """
    found = await app_called(azure, app, subscription)
    if found.is_site:
        parts = await sites.details(azure, found, with_settings=settings)
    elif settings:
        raise Refusal("Only web and function apps have settings. Omit `settings`.")
    elif found.is_container_app:
        parts = await container_apps.details(azure, found)
    else:
        parts = await clusters.details(azure, found)
    return answer(**about(found), **parts)
