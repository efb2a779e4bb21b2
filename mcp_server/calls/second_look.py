"""The second preview: read again what an approved change would do, right before it is sent.

A preview takes a while, and so does storing that an approval is used. This check catches changes that others make in
that time. For changes between this check and the request, only the service can reject the request, by comparing the
version that it names.
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
    """The change to apply: previewed again if approval was required.

    Previews that take longer than a call are read only once.

    Raises:
        Refusal: The change would now do something else. Nothing was done.
    """
    if agreed.change is None or tool.may_look_long(meant):
        return change.held_to(agreed.pins)
    again = await tool.plan(meant, context)
    plan = (await Planning(tool, meant, agreed.visit, again).planned()).plan
    if plan.digest != agreed.change.digest:
        raise Refusal(_CHANGED)
    return again.held_to(plan.preview.pins)
