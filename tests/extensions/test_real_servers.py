"""Servers that others wrote, behind this one: what each answers to a raw request is what comes through."""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp_types import CLIENT_CAPABILITIES_META_KEY

from extensions.upstream.opening import upstream_at
from extensions.upstream.question import Question
from extensions.upstream.upstream import Era
from tests.extensions.place import app_at, child_of, entry_of, running
from tests.fakes.extensions.peer import Peer
from tests.mcp_server.caller import Caller
from tests.npm import Packages, installed

HERE = Path(__file__).parent
OURS = """
import asyncio, sys
from mcp.server.mcpserver import Context, MCPServer
from mcp_types import ImageContent

server = MCPServer("shop")

@server.tool()
async def price(item: str, ctx: Context) -> dict[str, int]:
    \"\"\"Tell a price.\"\"\"
    await ctx.report_progress(1, 2, "looking")
    return {"cents": len(item)}

@server.tool()
def picture() -> ImageContent:
    \"\"\"Show it.\"\"\"
    return ImageContent(type="image", data="aGk=", mime_type="image/png")

@server.tool()
def broken() -> str:
    \"\"\"Fail.\"\"\"
    raise ValueError("no such thing")

server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[1]))
"""


@pytest.fixture(scope="module")
def packages() -> Packages:
    return installed(HERE / "peers")


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


@asynccontextmanager
async def started(
    port: int, *command: str, variables: Mapping[str, str], cwd: Path | None = None
) -> AsyncIterator[str]:
    process = await asyncio.create_subprocess_exec(
        *command, env=dict(variables), cwd=cwd, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE
    )
    assert process.stderr
    try:
        await _listening(port, process)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.terminate()
        await process.communicate()


async def _listening(port: int, process: asyncio.subprocess.Process) -> None:
    async with asyncio.timeout(30):
        while process.returncode is None:
            line = await process.stderr.readline() if process.stderr else b""
            if b"listening" in line.lower() or b"running on" in line.lower():
                return
    raise AssertionError("it ended")


async def test_a_server_of_the_sdk_in_either_era(tmp_path: Path) -> None:
    port = free_port()
    async with started(port, sys.executable, "-c", OURS, str(port), variables=os.environ) as url:
        entries = "".join(
            entry_of(Peer(url=url), f"era: {era}\ntools: {{'*': read}}", f"shop-{era}")
            for era in ("current", "handshake")
        )
        async with running(app_at(tmp_path, entries)) as app:
            for era in Era:
                caller = Caller(app.endpoint, f"shop-{era}")
                price, picture, broken = await caller.tool_names()
                assert price == f"shop_{era}_price"
                assert (await caller.call(price, item="lamp"))["structuredContent"]["cents"] == 4
                shown = (await caller.call(picture))["content"][1]
                assert shown == {"type": "image", "data": "aGk=", "mimeType": "image/png"}
                assert (await caller.call(broken))["isError"]


async def test_the_server_for_everything(tmp_path: Path, packages: Packages) -> None:
    port, script = free_port(), "node_modules/@modelcontextprotocol/server-everything/dist/index.js"
    variables = {**packages.variables, "PORT": str(port)}
    async with started(port, "node", script, "streamableHttp", variables=variables, cwd=packages.folder) as url:
        upstream = upstream_at("It", url, is_private=True)
        peer = Peer(url=url)
        async with running(app_at(tmp_path, entry_of(peer, "tools: {'*': read}", "everything"))) as app:
            caller = Caller(app.endpoint, "everything")
            names = await caller.tool_names()
            assert len(names) == 16
            for name, arguments in CALLS.items():
                alone = await upstream.ask(
                    Question(method="tools/call", params={"name": name, "arguments": arguments}), seconds=10
                )
                through = await caller.call(f"everything_{name}", **arguments)
                assert through["content"][1:] == alone["content"], name
                structured = alone.get("structuredContent")
                told = structured and {"notice": through["structuredContent"]["notice"], **structured}
                assert through.get("structuredContent") == told, name
        await upstream.close()


async def test_resources_and_prompts_of_the_server_for_everything(tmp_path: Path, packages: Packages) -> None:
    port, script = free_port(), "node_modules/@modelcontextprotocol/server-everything/dist/index.js"
    variables = {**packages.variables, "PORT": str(port)}
    async with started(port, "node", script, "streamableHttp", variables=variables, cwd=packages.folder) as url:
        upstream = upstream_at("It", url, is_private=True)
        offers = "tools: {'*': read}\noffers: [resources, prompts]"
        async with running(app_at(tmp_path, entry_of(Peer(url=url), offers, "all-of-it"))) as app:
            caller = Caller(app.endpoint, "all-of-it")

            async def both(method: str, theirs: dict[str, Any], ours: dict[str, Any]) -> tuple[Any, Any]:
                alone = await upstream.ask(Question(method=method, params=theirs), seconds=10)
                return alone, await caller.result(method, ours)

            for method, key, name in LISTS:
                alone, through = await both(method, {}, {})
                before = "all-of-it_" if name == "name" else "x-all-of-it:"
                assert [one[name] for one in through[key]] == [f"{before}{one[name]}" for one in alone[key]]
            uri = "demo://resource/dynamic/blob/1"
            alone, through = await both("resources/read", {"uri": uri}, {"uri": f"x-all-of-it:{uri}"})
            assert through["contents"][0]["mimeType"] == alone["contents"][0]["mimeType"]
            assert "blob" in through["contents"][0]
            asked = {"name": "args-prompt", "arguments": {"city": "Chicago"}}
            alone, through = await both("prompts/get", asked, {**asked, "name": "all-of-it_args-prompt"})
            assert through["messages"] == alone["messages"]
        await upstream.close()


async def test_the_same_as_processes(tmp_path: Path, packages: Packages) -> None:
    script = str(packages.folder / "node_modules/@modelcontextprotocol/server-everything/dist/index.js")
    node = shutil.which("node", path=packages.variables["PATH"])
    assert node
    ours = tmp_path / "ours.py"
    ours.write_text(OURS.partition("server.run")[0] + "server.run()", encoding="utf-8")
    entries = child_of([node, script, "stdio"], "tools: {'*': read}", "everything")
    entries += child_of([sys.executable, str(ours)], "era: current\ntools: {'*': read}", "shop")
    async with running(app_at(tmp_path, entries)) as app:
        everything, shop = Caller(app.endpoint, "everything"), Caller(app.endpoint, "shop")
        assert len(await everything.tool_names()) == 16
        assert (await everything.call("everything_echo", message="hi"))["content"][1]["text"] == "Echo: hi"
        assert (await shop.call("shop_price", item="lamp"))["structuredContent"]["cents"] == 4
        call: dict[str, Any] = {
            "name": "everything_trigger-elicitation-request",
            "arguments": {},
            "_meta": {CLIENT_CAPABILITIES_META_KEY: {"elicitation": {"form": {}}}},
        }
        asked = await everything.result("tools/call", call)
        given = {"action": "accept", "content": {"name": "Ada", "check": True}}
        answers = {
            "requestState": asked["requestState"],
            "inputResponses": dict.fromkeys(asked["inputRequests"], given),
        }
        assert "Ada" in str((await everything.result("tools/call", {**call, **answers}))["content"])


LISTS = (
    ("resources/list", "resources", "uri"),
    ("resources/templates/list", "resourceTemplates", "uriTemplate"),
    ("prompts/list", "prompts", "name"),
)
CALLS: dict[str, dict[str, Any]] = {
    "echo": {"message": "hello"},
    "get-annotated-message": {"messageType": "error", "includeImage": True},
    "get-resource-links": {"count": 2},
    "get-resource-reference": {"resourceType": "Text", "resourceId": 1},
    "get-structured-content": {"location": "Chicago"},
    "get-sum": {"a": 1, "b": 2},
    "get-tiny-image": {},
    "trigger-long-running-operation": {"duration": 0.02, "steps": 2},
}
