"""Handles a call that changes something: previews the change, requires approval, and applies the change.

This module is imported with the first call that changes something.
"""

from __future__ import annotations

from typing import Any

from identity.limits import TooManyRequests
from mcp_server.calls.consent import Agreed, consent
from mcp_server.calls.running import LimitError, in_form, within_its_time
from mcp_server.calls.second_look import looked_at_again
from mcp_server.declarations.change import Change
from mcp_server.declarations.invalid_arguments import InvalidArgumentsError
from mcp_server.declarations.tool import Result, Tool
from mcp_server.protocol.results import CallResult, InputRequired
from mcp_server.visit import Context
from refusal import Refusal
from telemetry.metrics import count_throttled


async def changed(tool: Tool, meant: dict[str, Any], confirmed: str | None, context: Context) -> Result:
    """Apply the change if it needs no approval or was approved. If an approval is still required, return the question
    for the approver.
    """
    change, agreed = await within_its_time(tool, _planned(tool, meant, confirmed, context))
    return agreed if isinstance(agreed, InputRequired) else await _applied(tool, meant, context, change, agreed)


async def _planned(
    tool: Tool, meant: dict[str, Any], confirmed: str | None, context: Context
) -> tuple[Change[Any], Agreed | InputRequired]:
    """Preview the change that a call would make, and decide whether the change may be applied."""
    change = await tool.plan(meant, context)
    if change.is_no_op:
        return change, Agreed(context.visit)
    return change, await consent(tool, meant, change, confirmed, context)


async def _applied(tool: Tool, meant: dict[str, Any], context: Context, change: Change[Any], agreed: Agreed) -> Result:
    """Apply an approved change, and store the result, even if the change fails."""
    _count_change(context)
    await agreed.begin()
    try:
        result = in_form(tool, await within_its_time(tool, _sent(tool, meant, context, change, agreed)))
    except (Refusal, InvalidArgumentsError, LimitError) as failed:
        await agreed.ended(is_done=False, words=str(failed))
        raise
    except Exception as defect:
        await agreed.ended(is_done=False, words=f"It failed ({type(defect).__name__}).")
        raise
    await agreed.ended(is_done=not (isinstance(result, CallResult) and result.is_error))
    return result


async def _sent(tool: Tool, meant: dict[str, Any], context: Context, change: Change[Any], agreed: Agreed) -> Any:
    return await (await looked_at_again(tool, meant, change, agreed, context)).apply()


def _count_change(context: Context) -> None:
    visit = context.visit
    try:
        visit.door.count_change(visit.caller)
    except TooManyRequests as limit:
        count_throttled(limit.who)
        raise LimitError(f"{limit} Nothing was done.") from None
