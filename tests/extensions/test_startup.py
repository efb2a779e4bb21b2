"""The first calls after startup, before any extension was looked at."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from tests.extensions.place import app_at, child_of, entry_of
from tests.fakes.extensions.peer import Peer, served, tool
from tests.mcp_server.caller import Caller

READ = "tools: {'*': read}"
CHILD = child_of([sys.executable, str(Path(__file__).with_name("child_peer.py")), "current"], READ)


@pytest.mark.parametrize("is_process", [False, True], ids=["address", "process"])
async def test_the_first_calls_wait_until_their_extension_was_looked_at(tmp_path: Path, *, is_process: bool) -> None:
    async with served(Peer(tools=[tool("tell")])) as peer:
        app = app_at(tmp_path, CHILD if is_process else entry_of(peer, READ))
        try:
            calls = (Caller(app.endpoint, "stage").call("stage_tell", text="x") for _ in range(3))
            answers = await asyncio.gather(*calls)
        finally:
            await app.close()
    assert not [answer for answer in answers if answer["isError"]]
