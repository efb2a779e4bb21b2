"""Previews an approved change again, just before it is applied.

The second preview detects changes that other users have made since the first preview. Changes after the second preview
can be detected only by the service, which compares the version in the request.
"""

from __future__ import annotations

from typing import Any, Final

from mcp_server.calls.consent import Agreed
from mcp_server.calls.planning import Planning
from mcp_server.declarations.change import Change
from mcp_server.declarations.tool import Tool
from mcp_server.visit import Context
from refusal import Refusal

_CHANGED: Final = (
    "The change would no longer have the effect that was approved a moment ago. Nothing was done."
    " Send the same call again to see the current preview."
)


async def looked_at_again(
    tool: Tool, meant: dict[str, Any], change: Change[Any], agreed: Agreed, context: Context
) -> Change[Any]:
    """Return the change to apply. If approval was required, the change is previewed again."""
    # A preview that may take longer than the time limit of a call is not repeated.
    if agreed.change is None or tool.may_look_long(meant):
        return change.held_to(agreed.pins)
    again = await tool.plan(meant, context)
    plan = (await Planning(tool, meant, agreed.visit, again).planned()).plan
    if plan.digest != agreed.change.digest:
        raise Refusal(_CHANGED)
    return again.held_to(plan.preview.pins)
