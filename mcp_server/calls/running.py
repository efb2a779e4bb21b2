"""Runs a tool within its time limit, and returns the result in the form that clients read."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from identity.access import Access
from mcp_server.declarations.tool import Result, Tool
from tasks.task import Task

V = TypeVar("V")


class LimitError(Exception):
    """The tool reached its time limit, or the caller reached a limit on changes."""


class LateError(LimitError):
    """The tool reached its time limit."""


def _took_too_long(tool: Tool) -> LateError:
    limit = f"{tool.name} was stopped after {tool.seconds:g} seconds."
    advice = "Ask for less." if tool.access is Access.READ else "Check what it has already done, then ask for less."
    return LateError(f"{limit} {advice}")


async def within_its_time(tool: Tool, doing: Coroutine[Any, Any, V]) -> V:
    limit = asyncio.timeout(tool.seconds)
    try:
        async with limit:
            return await doing
    except TimeoutError as late:
        # If the tool itself raised a timeout, treat it as an ordinary failure.
        raise (_took_too_long(tool) if limit.expired() else late) from None


def in_form(tool: Tool, value: Any) -> Result:
    return value if isinstance(value, Task) else tool.result(value)
