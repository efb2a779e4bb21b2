"""Account: which subscriptions, tenants and locations there are, who we are, and what we may do."""

from __future__ import annotations

from mcp_server.declarations.toolset import Access, Part
from tools.azure.provider import Arm
from tools.azure.shared.answers import Json, every

part = Part()


@part.tool(Access.READ)
async def list_azure_subscriptions(azure: Arm) -> Json:
    """List the Azure subscriptions that you may reach, with their ids."""
    found = await azure.subscriptions()
    return every({"name": one.name, "id": one.id, "tenant": one.tenant, "state": one.state} for one in found)
