"""The tools of the clock."""

from __future__ import annotations

from mcp_server.declarations.toolset import Access, Toolset
from tests.clock.access import CLOCK, Clock

toolset = Toolset("clock", "Tell the time.", needs=(CLOCK,))


@toolset.tool(Access.READ)
async def tell_time(clock: Clock) -> dict[str, str]:
    """Tell the current time."""
    return {"time": await clock.now()}
