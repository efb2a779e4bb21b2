"""What a tool may know of the call that it is a part of: for the providers' functions, as injected parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Annotated, Any, Final
from uuid import uuid4

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.resolve import Resolve

from mcp_server.visit import visit_of

_MARK: Final = 16


@dataclass(frozen=True, slots=True)
class Doing:
    """The change that is being applied: a mark by which what it does can be found again, and nothing can be told."""

    mark: str
    # Whether this very call was previewed, a few minutes ago at most.
    is_previewed: bool


async def _trail_of(context: Context[Any, Any]) -> Mapping[str, Any]:
    return visit_of(context.request_context).trail


async def _doing_of(context: Context[Any, Any]) -> Doing:
    visit = visit_of(context.request_context)
    name = visit.change.id if visit.change else uuid4().hex
    return Doing(sha256(f"mark of {name}".encode()).hexdigest()[:_MARK], visit.is_previewed)


# What the look left with which a preview goes on; nothing where it begins.
TheTrail = Annotated[Mapping[str, Any], Resolve(_trail_of)]
ThisChange = Annotated[Doing, Resolve(_doing_of)]
