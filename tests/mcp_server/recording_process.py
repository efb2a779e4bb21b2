"""A process that reads and changes in turn, keeps its records in a file, and says of each change that it is done."""

from __future__ import annotations

import asyncio
import logging
import sys
from itertools import count
from pathlib import Path

from identity.access import Access
from mcp_server.calls.audit_file import keep_in
from mcp_server.declarations.toolset import Toolset
from tests.mcp_server.caller import Caller
from tests.mcp_server.endpoints import new_endpoint

shed = Toolset("shed", "A shed.")


@shed.tool(Access.READ, harmless=["number"])
async def look(number: int) -> str:
    """Look."""
    return str(number)


@shed.tool(Access.WRITE, harmless=["number"])
async def put(number: int) -> str:
    """Put."""
    return str(number)


async def work() -> None:
    caller = Caller(new_endpoint(toolsets=[shed]), "all")
    for number in count():
        await caller.send("tools/call", {"name": "look", "arguments": {"number": number}})
        await caller.send("tools/call", {"name": "put", "arguments": {"number": number}})
        sys.stdout.write(f"{number}\n")
        sys.stdout.flush()
        # Nothing of all this waits, and a signal is only seen where something does.
        await asyncio.sleep(0)


if __name__ == "__main__":
    logging.getLogger("audit").setLevel(logging.INFO)
    keep_in(Path(sys.argv[1]))
    asyncio.run(work())
