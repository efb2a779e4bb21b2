"""Calls the functions of tools, prompts and resources."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from mcp_server.context import AnyContext
from mcp_server.declarations.injection import injection_of


async def invoked(function: Callable[..., Any], given: Mapping[str, Any], context: AnyContext) -> Any:
    """Call a function with the given arguments and with the parameters that the server injects.

    A function that is not a coroutine runs in a thread, because it may block.
    """
    injection = injection_of(function)
    injected = await injection.values(given, context)
    if injection.is_coroutine:
        return await function(**given, **injected)
    return await asyncio.to_thread(function, **given, **injected)
