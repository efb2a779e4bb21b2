"""The two doors to the same tools: MCP, and plain HTTP for runtimes that know none. A story is played through each."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from mcp_server.http import rest
from tests.mcp_server.caller import Caller, Json, post

Way = Callable[[Caller, str, Mapping[str, Any]], Awaitable[tuple[bool, Json, str]]]
# What differs from one play to the next, by its name.
_OF_THE_MOMENT: Final = re.compile(r"_?etag|_ts|_rid|_self|\w+_at|modified|date|request_units|commit_hash|expires")
_MOMENTS: Final = re.compile(
    r"127\.0\.0\.1:\d+|\b[0-9a-f]{40}\b|\d{4}-\d\d-\d\dT[\d:.+]+"
    r"|(?<=etag: )[^;]+|(?<=/changes/)\S+|(?<=confirm: ')[^']+"
)


async def through_mcp(caller: Caller, tool: str, arguments: Mapping[str, Any]) -> tuple[bool, Json, str]:
    result = await caller.call(tool, **arguments)
    text = "\n".join(part["text"] for part in result["content"] if part["type"] == "text")
    return not result.get("isError"), result.get("structuredContent"), text


async def through_rest(caller: Caller, tool: str, arguments: Mapping[str, Any]) -> tuple[bool, Json, str]:
    body = json.dumps({"tool": tool, "arguments": dict(arguments)}).encode()
    answer = await rest.execute(caller.endpoint, post(body, caller.headers))
    document = json.loads(answer.body)
    is_done = answer.status == 200
    return is_done, document.get("result"), "" if is_done else str(document.get("detail", ""))


DOORS: Final[dict[str, Way]] = {"MCP": through_mcp, "REST": through_rest}


@dataclass
class Play:
    """Calls through one door, and what was told of each."""

    way: Way
    caller: Caller
    heard: list[tuple[str, Json]] = field(default_factory=list)

    def by(self, caller: Caller) -> Play:
        """Somebody else, at the same door and in the same play."""
        return Play(self.way, caller, self.heard)

    async def __call__(self, tool: str, /, **arguments: Any) -> Json:
        is_done, given, words = await self.way(self.caller, tool, arguments)
        assert is_done, (tool, words)
        self.heard.append((tool, settled(given)))
        return given

    async def refused(self, tool: str, /, **arguments: Any) -> str:
        is_done, given, words = await self.way(self.caller, tool, arguments)
        assert not is_done, (tool, given)
        self.heard.append((tool, settled(words)))
        return words


def settled(told: Json) -> Json:
    """What was told, without what is of the moment."""
    if isinstance(told, dict):
        return {name: "…" if _OF_THE_MOMENT.fullmatch(name) else settled(value) for name, value in told.items()}
    if isinstance(told, list):
        return [settled(one) for one in told]
    return _MOMENTS.sub("…", told) if isinstance(told, str) else told
