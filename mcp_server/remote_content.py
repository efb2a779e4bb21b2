"""Prompts and resources of other servers over MCP: whatever is asked of one is a call, as tools are called."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from itertools import chain
from typing import Any

import mcp_types
from mcp.server import ServerRequestContext

from mcp_server.declarations.remote_content import Kind, Shown, address_in, name_in
from mcp_server.shelves import given
from mcp_server.visit import view_of, visit_of

RequestContext = ServerRequestContext[Any, Any]


async def listed(ctx: RequestContext, kind: Kind) -> list[Any]:
    """What all of them have of a kind that are open to the caller, asked side by side."""
    visit = visit_of(ctx)
    asked = (one.listed(kind, visit.caller) for one in view_of(ctx).remote_content.values())
    found: list[Shown] = [*chain.from_iterable(await asyncio.gather(*asked))]
    return found


async def read(ctx: RequestContext, uri: str) -> mcp_types.ReadResourceResult | None:
    """What is at an address of another server; nothing if it is none."""
    toolset, theirs = address_in(uri)
    place = view_of(ctx).remote_content.get(toolset)
    if place is None or not theirs:
        return None
    return mcp_types.ReadResourceResult.model_validate(await given(place.reading, {"uri": theirs}, ctx))


async def got(ctx: RequestContext, name: str, arguments: Mapping[str, str]) -> mcp_types.GetPromptResult | None:
    """A prompt of another server; nothing if there is no such server."""
    toolset, theirs = name_in(name)
    place = view_of(ctx).remote_content.get(toolset)
    if place is None or not theirs:
        return None
    asked = {"name": theirs, "arguments": dict(arguments)}
    return mcp_types.GetPromptResult.model_validate(await given(place.getting, asked, ctx))


async def completed(ctx: RequestContext, params: mcp_types.CompleteRequestParams) -> list[str]:
    """How another server completes an argument of what it has; nothing where it is none of another server's."""
    ref = params.ref
    is_prompt = isinstance(ref, mcp_types.PromptReference)
    toolset, theirs = name_in(ref.name) if isinstance(ref, mcp_types.PromptReference) else address_in(ref.uri)
    place = view_of(ctx).remote_content.get(toolset)
    if place is None or not theirs:
        return []
    named = {"type": ref.type, "name" if is_prompt else "uri": theirs}
    argument = {"name": params.argument.name, "value": params.argument.value}
    values: list[str] = (await given(place.completing, {"ref": named, "argument": argument}, ctx))["values"]
    return values
