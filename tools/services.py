"""What tools act on, and how a tool asks for it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated, Any

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.resolve import Resolve

from clients.azure_devops.client import AzureDevOps
from refusal import Refusal
from updates.library import Library

Fetch = Callable[[str], Awaitable[bytes]]


@dataclass(frozen=True, slots=True)
class Services:
    """Everything beyond its arguments that a tool may use. What is not configured is None."""

    updates: Library
    azure_devops: Callable[[Context[Any, Any]], AzureDevOps] | None = None
    # Gets a file from one of the hosts that the settings allow.
    fetch: Fetch | None = None


async def updates_of(context: Context[Services, Any]) -> Library:
    # A function that is not asynchronous would be run in a thread, which costs more than all that it does.
    return context.request_context.lifespan_context.updates


Updates = Annotated[Library, Resolve(updates_of)]


async def devops_of(context: Context[Services, Any]) -> AzureDevOps:
    reach = context.request_context.lifespan_context.azure_devops
    if reach is None:
        raise Refusal("Azure DevOps is not configured here: the operator has to set ADO_ORG_URL.")
    return reach(context)


DevOps = Annotated[AzureDevOps, Resolve(devops_of)]


async def fetch_of(context: Context[Services, Any]) -> Fetch:
    fetch = context.request_context.lifespan_context.fetch
    if fetch is None:
        raise Refusal("No host is allowed to fetch files from: the operator has to set ADO_ATTACHMENT_HOSTS.")
    return fetch


Fetching = Annotated[Fetch, Resolve(fetch_of)]
