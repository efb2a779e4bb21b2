"""The invented office behind a door with roles, for attacks on choices, names and calls."""

from __future__ import annotations

from typing import Any, Final

from mcp_server.http.messages import HttpAnswer
from tests.attacks.place import gains_nothing
from tests.mcp_server.caller import Caller
from tests.mcp_server.endpoints import new_endpoint
from tests.mcp_server.sign_in_by_header import office_door

# What nobody but a Janitor may know of.
HIDDEN: Final = (b"brick_up_door", b"open_door", b"write_note")


def visitor(toolsets: str | None = "all", role: str = "Visitor", **headers: str) -> Caller:
    """Somebody who may read in the office, and nothing else."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Caller(new_endpoint(door=office_door()), toolsets, {"x-who": f"eve {role}", **named})


async def called(caller: Caller, name: str, /, arguments: Any) -> HttpAnswer:
    return await caller.send("tools/call", {"name": name, "arguments": arguments})


def reaches_nothing_hidden(answer: HttpAnswer, *statuses: int) -> None:
    gains_nothing(answer, *statuses)
    assert [name for name in HIDDEN if name in answer.body] == []
