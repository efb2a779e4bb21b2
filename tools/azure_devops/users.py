"""Finds users and groups, and shows the caller's own user."""

from __future__ import annotations

from typing import Annotated

from clients.azure_devops.paging import ListPage
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure_devops.access import DevOps
from tools.azure_devops.shared.answers import Json, many, one
from tools.azure_devops.shared.parameters import Detail, MaxResults
from tools.azure_devops.shared.people import current_user, identities, shown_identity

part = Part()


@part.tool(Access.READ)
async def get_current_user(devops: DevOps) -> Json:
    """Get the current user of Azure DevOps."""
    return one(await current_user(devops), shown_identity)


@part.tool(Access.READ)
async def search_users(
    devops: DevOps,
    query: Annotated[str, Field(min_length=1, description="Name or email")],
    maxResults: MaxResults = 50,
) -> Json:
    """Find users and groups, with the ids that other tools need."""
    found = await identities(devops, query)
    return many(ListPage(found[:maxResults], len(found) > maxResults), shown_identity)


@part.tool(Access.READ)
async def get_user(
    devops: DevOps,
    userId: Annotated[str, Field(min_length=1, description="Id, descriptor or email")],
    detail: Detail = "summary",
) -> Json:
    """Get a user or a group."""
    found = await identities(devops, userId)
    if not found:
        raise Refusal(f"User {userId!r} not found. search_users finds users by name or email.")
    return one(found[0], shown_identity, detail)
