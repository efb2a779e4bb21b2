"""The second look: what an approved change would do is read again right before it is sent.

Reading for a preview takes a while, and keeping that an approval is used takes another. Whatever somebody else changes
in that time is seen here. What they change between this look and the request, only the service itself can refuse, by
the version that a request names.
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
    "The effect of the change is different than at its approval a moment ago. Nothing was done. Send the same call"
    " again to see the current preview."
)


async def looked_at_again(
    tool: Tool, meant: dict[str, Any], change: Change[Any], agreed: Agreed, context: Context
) -> Change[Any]:
    """The change as it is to be applied: made anew, where somebody had to approve it.

    A preview that takes longer than a call is looked at once.

    Raises:
        Refusal: It would do something else now; nothing was done.
    """
    if agreed.change is None or tool.may_look_long(meant):
        return change.held_to(agreed.pins)
    again = await tool.plan(meant, context)
    plan = (await Planning(tool, meant, agreed.visit, again).planned()).plan
    if plan.digest != agreed.change.digest:
        raise Refusal(_CHANGED)
    return again.held_to(plan.preview.pins)
