"""A process that sends its traces: it makes a call in each way, and writes the record of each."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from mcp_server.http import rest_resources
from mcp_server.http.messages import HttpRequest
from telemetry.export import start
from tests.mcp_server.caller import Caller, post
from tests.mcp_server.records import Records
from tests.promises.place import Person, Place, place

NOTE: Final = {"uri": "file:///notes/a.md", "text": "Bake."}


async def main() -> None:
    export = start(os.environ["TELEMETRY"], name="site", version="1", delay=0)
    export.ready.wait()
    with TemporaryDirectory() as folder:
        async with place(Path(folder)) as there:
            with Records.kept() as records:
                await _call(there)
    json.dump(records.all, sys.stdout)


async def _call(there: Place) -> None:
    owner, tools = there.person("Owner"), {tool.name: tool for tool in there.tools}
    for way in (Person.direct, Person.learned, Person.executed, Person.executed_as_mcp, Person.by_address):
        await way(owner, tools["whoami"], {})
    await owner.learned(tools["write_resource"], NOTE)
    await owner.direct(tools["write_resource"], {"uri": 7})
    await owner.direct(tools["delete_resource"], {"uri": NOTE["uri"]})
    await owner.direct(tools["get_task"], {"id": "0" * 32})
    await Caller(there.app.endpoint, "all", owner.headers).send("resources/read", {"uri": NOTE["uri"]})
    await _plain(there, owner, "GET")
    await _plain(there, owner, "PUT", b"Eat.")
    await there.person("Reader").executed(tools["write_resource"], NOTE)


async def _plain(there: Place, person: Person, method: str, body: bytes = b"") -> Any:
    headers = post(body, {**person.headers, "if-match": "*", "content-type": "text/markdown"}).headers
    request = HttpRequest(method, "/resources/file:///notes/a.md", headers, body)
    return await rest_resources.answer_resources(there.app.endpoint, request)


if __name__ == "__main__":
    asyncio.run(main())
