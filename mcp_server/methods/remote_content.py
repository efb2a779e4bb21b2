"""Serves prompts and resources of other MCP servers. Each request for a prompt or resource becomes a tool call."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from mcp_server.declarations.remote_content import Kind, address_in, name_in
from mcp_server.methods.answers import structured_of
from mcp_server.protocol.results import Json
from mcp_server.visit import Context


async def listed(context: Context, kind: Kind) -> Sequence[Json]:
    """The entries of this kind (prompts, resources or templates) from all other servers that the caller can use.

    All servers are queried at the same time.
    """
    visit = context.visit
    asked = (one.listed(kind, visit.caller) for one in visit.view.remote_content.values())
    return [*chain.from_iterable(await asyncio.gather(*asked))]


async def read(context: Context, uri: str) -> Json | None:
    """Read a resource of another server. None if the URI does not belong to another server."""
    toolset, theirs = address_in(uri)
    place = context.visit.view.remote_content.get(toolset)
    return await structured_of(place.reading, {"uri": theirs}, context) if place and theirs else None


async def prompt(context: Context, name: str, arguments: Mapping[str, str]) -> Json | None:
    """Get a prompt of another server. None if the name does not belong to another server."""
    toolset, theirs = name_in(name)
    place = context.visit.view.remote_content.get(toolset)
    asked = {"name": theirs, "arguments": dict(arguments)}
    return await structured_of(place.getting, asked, context) if place and theirs else None


async def completed(context: Context, reference: Mapping[str, Any], argument: Mapping[str, Any]) -> list[str]:
    """The completions that another server offers. Empty if the prompt or resource does not belong to another server."""
    is_prompt = reference["type"] == "ref/prompt"
    toolset, theirs = name_in(reference["name"]) if is_prompt else address_in(reference["uri"])
    place = context.visit.view.remote_content.get(toolset)
    if place is None or not theirs:
        return []
    named = {"type": reference["type"], "name" if is_prompt else "uri": theirs}
    asked = {"ref": named, "argument": {name: argument[name] for name in ("name", "value")}}
    values: list[str] = (await structured_of(place.completing, asked, context))["values"]
    return values
