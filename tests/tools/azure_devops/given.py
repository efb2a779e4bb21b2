"""A step of a story: a call that has to go well."""

from __future__ import annotations

from typing import Any

from tests.mcp_server.caller import Caller


async def given(caller: Caller, tool: str, /, **arguments: Any) -> Any:
    result = await caller.call(tool, **arguments)
    assert not result["isError"], result["content"][0]["text"]
    return result["structuredContent"]
