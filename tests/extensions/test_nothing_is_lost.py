"""Servers of others behind this one, asked by `azure`: what each answers to a raw request is what comes through."""

from __future__ import annotations

import asyncio
import json
import os
import platform
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pytest
from aiohttp import web
from mcp_types import CLIENT_CAPABILITIES_META_KEY

from scripts import environment
from tests.extensions.place import app_at, child_of, entry_of, running
from tests.extensions.raw import Raw, RawOverHttp, free_port, listening, piped
from tests.extensions.restoring import restored, without_defaults
from tests.fakes.extensions.peer import NOW, THEN, Json, Peer, served
from tests.mcp_server.caller import Caller
from tests.npm import installed

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parents[1]
READ: Final = "tools: {'*': read}"
ERAS: Final = {THEN: "handshake", NOW: "current"}
IS_NIGHT: Final = "FUZZ_PACKAGES" in os.environ
nightly = pytest.mark.skipif(not IS_NIGHT, reason="FUZZ_PACKAGES is not set.")


@dataclass(frozen=True, kw_only=True)
class Server:
    """How one is run, which eras it speaks in either way, and what it is asked."""

    child: Sequence[str]
    http: Sequence[str] = ()
    port: int = field(default_factory=free_port)
    path: str = "/mcp"
    variables: Mapping[str, str] = field(default_factory=dict)
    of_child: Sequence[str] = (THEN,)
    of_http: Sequence[str] = (THEN,)
    calls: Mapping[str, Json]
    # Whether the bare client, which answers nothing over HTTP, says that it can be asked as this server is.
    can_be_asked: bool = True

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}{self.path}"

    def entries(self) -> dict[str, tuple[str, str]]:
        """The entries by their names, each with its way and its era."""
        return {f"{way}-{ERAS[era]}": (way, era) for way in ("child", "http") for era in getattr(self, f"of_{way}")}

    def written(self) -> str:
        return "".join(self._written(name, *how) for name, how in self.entries().items())

    def _written(self, name: str, way: str, era: str) -> str:
        more = f"era: {ERAS[era]}\n{READ}"
        if way == "http":
            return entry_of(Peer(url=self.url), more, name)
        return child_of(self.child, f"{more}\nenvironment: {json.dumps(self.variables)}", name)

    @contextmanager
    def asked(self, way: str, era: str) -> Iterator[Raw]:
        if way == "http":
            yield RawOverHttp(era, self.url)
            return
        with piped(era, self.child, self.variables) as raw:
            yield raw

    @contextmanager
    def serving(self) -> Iterator[None]:
        with ExitStack() as stack:
            if self.http:
                stack.enter_context(listening(self.port, self.http, self.variables))
            yield


async def compare(folder: Path, server: Server) -> None:
    async with running(app_at(folder, server.written())) as app:
        for name, how in server.entries().items():
            with server.asked(*how) as raw:
                raw.able = raw.able if server.can_be_asked else {}
                await asyncio.to_thread(raw.begin)
                await _learnt(Caller(app.endpoint), name, raw)
                await _called(Caller(app.endpoint), name, raw, server.calls)


async def _learnt(somebody: Caller, extension: str, raw: Raw) -> None:
    """Descriptions are bounded here, and schemas are shown whole."""
    learnt = (await somebody.call("azure", learn=True, tool=extension))["structuredContent"]["commands"]
    commands = {command["name"]: command for command in learnt}
    alone = {_ours(extension, name): said for name, said in (await asyncio.to_thread(raw.tools)).items()}
    assert commands.keys() == alone.keys()
    for name, said in alone.items():
        asked = {"learn": True, "tool": extension, "command": name}
        (one,) = (await somebody.call("azure", **asked))["structuredContent"]["commands"]
        assert one["inputSchema"] == said["inputSchema"], name
        told = f"From the server of {extension!r}: {said.get('description', said['name']).strip()}"
        # In the list, each is one line.
        assert commands[name]["description"].removesuffix(" …") in " ".join(told.split()), name


async def _called(somebody: Caller, extension: str, raw: Raw, calls: Mapping[str, Json]) -> None:
    for name, arguments in calls.items():
        alone = await asyncio.to_thread(raw.call, name, arguments)
        asked = {"tool": extension, "command": _ours(extension, name), "parameters": arguments}
        assert restored(await somebody.call("azure", **asked)) == without_defaults(alone), (extension, name)


def _ours(extension: str, name: str) -> str:
    return f"{extension.replace('-', '_')}_{name}"


OF_EVERYTHING: Final[dict[str, Json]] = {
    "echo": {"message": "hello"},
    "get-annotated-message": {"messageType": "error", "includeImage": True},
    "get-env": {},
    "get-resource-links": {"count": 2},
    "get-resource-reference": {"resourceType": "Text", "resourceId": 1},
    "get-structured-content": {"location": "Chicago"},
    "get-sum": {"a": 1, "b": 2},
    "get-tiny-image": {},
    "trigger-long-running-operation": {"duration": 0.02, "steps": 2},
}


@pytest.fixture(scope="module")
def everything() -> Iterator[Server]:
    packages = installed(HERE / "peers")
    node = shutil.which("node", path=packages.variables["PATH"])
    assert node
    words = [node, str(packages.folder / "node_modules/@modelcontextprotocol/server-everything/dist/index.js")]
    port = free_port()
    variables = {"PORT": str(port), "LC_ALL": "C.UTF-8"}
    ways: dict[str, Any] = {"child": [*words, "stdio"], "http": [*words, "streamableHttp"]}
    server = Server(**ways, port=port, variables=variables, calls=OF_EVERYTHING)
    with server.serving():
        yield server


async def test_the_reference_server_for_everything(tmp_path: Path, everything: Server) -> None:
    await compare(tmp_path, everything)


async def test_what_it_asks_in_the_middle_reaches_the_user_of_a_laptop(tmp_path: Path, everything: Server) -> None:
    call: Json = {
        "name": "everything_trigger-elicitation-request",
        "arguments": {},
        "_meta": {CLIENT_CAPABILITIES_META_KEY: {"elicitation": {"form": {}}}},
    }
    async with running(app_at(tmp_path, child_of(everything.child, READ, "everything"))) as app:
        somebody = Caller(app.endpoint, "everything")
        asked = await somebody.result("tools/call", call)
        (name,) = asked["inputRequests"]
        answer = {name: {"action": "accept", "content": {"name": "Ada", "check": True}}}
        told = await somebody.result(
            "tools/call", {**call, "requestState": asked["requestState"], "inputResponses": answer}
        )
    assert "Ada" in str(told["content"])


LISTS: Final = (
    ("resources/list", "resources", "uri"),
    ("resources/templates/list", "resourceTemplates", "uriTemplate"),
    ("prompts/list", "prompts", "name"),
)


async def test_resources_and_prompts_of_the_server_for_everything(tmp_path: Path, everything: Server) -> None:
    entry = entry_of(Peer(url=everything.url), f"{READ}\noffers: [resources, prompts]", "all-of-it")
    raw = RawOverHttp(THEN, everything.url)
    raw.begin()
    async with running(app_at(tmp_path, entry)) as app:
        caller = Caller(app.endpoint, "all-of-it")
        for method, key, name in LISTS:
            before = "all-of-it_" if name == "name" else "x-all-of-it:"
            alone = [f"{before}{one[name]}" for one in raw.ask(method)[key]]
            assert [one[name] for one in (await caller.result(method))[key]] == alone
        for uri in ("demo://resource/static/document/features.md", "demo://resource/static/document/startup.md"):
            [read] = (await caller.result("resources/read", {"uri": f"x-all-of-it:{uri}"}))["contents"]
            assert {**read, "uri": uri, "_meta": {}} == {
                **raw.ask("resources/read", uri=uri)["contents"][0],
                "_meta": {},
            }
        asked = {"name": "args-prompt", "arguments": {"city": "Chicago"}}
        got = await caller.result("prompts/get", {**asked, "name": "all-of-it_args-prompt"})
        assert got["messages"] == raw.ask("prompts/get", **asked)["messages"]


OF_A_SHOP: Final = """
import sys
from typing import Annotated, Any
from {imported}

server = {made}("shop")

@server.tool()
async def price(item: str, ctx: Context) -> dict[str, int]:
    \"\"\"Tell a price.\"\"\"
    await ctx.report_progress(1, 2, "looking")
    return {{"cents": len(item)}}

@server.tool()
def items(most: int = 3) -> list[str]:
    \"\"\"Tell what there is.\"\"\"
    return ["lamp", "rope", "chair"][:most]

@server.tool()
def weight(item: str) -> float | None:
    \"\"\"Weigh it.\"\"\"
    return None if item == "air" else 1.5

@server.tool()
def broken() -> str:
    \"\"\"Fail.\"\"\"
    raise ValueError("no such thing")

if len(sys.argv) > 1:
    server.run("{http}", host="127.0.0.1", port=int(sys.argv[1]))
else:
    server.run("stdio")
"""
OF_SHOPS: Final[dict[str, Json]] = {
    "price": {"item": "lamp"},
    "items": {"most": 2},
    "weight": {"item": "air"},
    "broken": {},
}


def shop(folder: Path, text: str, variables: Mapping[str, str]) -> Server:
    file, port = folder / "shop.py", free_port()
    file.write_text(text, encoding="utf-8")
    child = [sys.executable, str(file)]
    http = [*child, str(port)]
    # Each process of it imports the SDK, which takes a second.
    of_child = (NOW,) if IS_NIGHT else ()
    return Server(
        child=child, http=http, port=port, variables=variables, of_child=of_child, of_http=tuple(ERAS), calls=OF_SHOPS
    )


async def test_a_server_of_the_sdk(tmp_path: Path) -> None:
    named = {"imported": "mcp.server.mcpserver import Context, MCPServer", "made": "MCPServer"}
    server = shop(tmp_path, OF_A_SHOP.format(**named, http="streamable-http"), {})
    with server.serving():
        await compare(tmp_path, server)


@nightly
async def test_a_server_of_fastmcp(tmp_path: Path) -> None:
    packages = environment.packages("fastmcp", "tests/extensions/peers/requirements.txt")
    text = OF_A_SHOP.format(imported="fastmcp import Context, FastMCP", made="FastMCP", http="http")
    variables = {"PYTHONPATH": str(packages), "FASTMCP_SHOW_SERVER_BANNER": "false", "HOME": str(tmp_path)}
    server = shop(tmp_path, text, variables)
    with server.serving():
        await compare(tmp_path, server)


CLUSTER: Final = """
apiVersion: v1
kind: Config
clusters: [{name: shop, cluster: {server: "http://127.0.0.1:1"}}]
users: [{name: someone, user: {}}]
contexts: [{name: shop, context: {cluster: shop, user: someone}}]
current-context: shop
"""


@nightly
@pytest.mark.skipif((platform.system(), platform.machine()) != ("Linux", "x86_64"), reason="It is made for others.")
async def test_a_server_in_go(tmp_path: Path) -> None:
    name = "kubernetes-mcp-server-linux-amd64"
    program = installed(HERE / "peers" / "more").folder / "node_modules" / name / "bin" / name
    cluster, port = tmp_path / "cluster.yaml", free_port()
    cluster.write_text(CLUSTER, encoding="utf-8")
    child = [str(program), "--kubeconfig", str(cluster)]
    http = [*child, "--bind-address", "127.0.0.1", "--port", str(port)]
    calls: dict[str, Json] = {"configuration_view": {"minified": True}, "pods_list": {}}
    server = Server(child=child, http=http, port=port, of_child=tuple(ERAS), calls=calls)
    with server.serving():
        await compare(tmp_path, server)


@nightly
async def test_the_azure_mcp_server(tmp_path: Path) -> None:
    """Its namespaces are learnt, and some of what needs no sign-in is read; that it is installed is tried elsewhere."""
    packages = installed(ROOT / "scripts" / "benchmarks" / "azure_peer")
    (program,) = packages.folder.glob("node_modules/@azure/mcp-*/dist/azmcp")
    child, port = [str(program), "server", "start", "--mode", "namespace", "--read-only"], free_port()
    variables = {
        "ASPNETCORE_URLS": f"http://127.0.0.1:{port}",
        "AZURE_MCP_COLLECT_TELEMETRY": "false",
        "HOME": str(tmp_path),
    }
    http = [*child, "--transport", "http", "--dangerously-disable-http-incoming-auth"]
    server = Server(
        child=child, http=http, port=port, path="/", variables=variables, calls=OF_AZURE, can_be_asked=False
    )
    with server.serving():
        await compare(tmp_path, server)


OF_AZURE: Final[dict[str, Json]] = {
    "storage": {"intent": "list accounts", "learn": True},
    "cosmos": {"intent": "list databases", "learn": True},
    "get_azure_bestpractices": {
        "intent": "general",
        "command": "get_azure_bestpractices_get",
        "parameters": {"resource": "general", "action": "all"},
    },
}
NUMBERS: Final = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
# What is said of a tool beside its name, and what it answers.
ODD: Final[dict[str, tuple[Json, Json]]] = {
    "fields_nobody_knows": (
        {"new": 1},
        {"content": [{"type": "text", "text": "a", "new": {"b": None}}], "new": [1], "_meta": {"k": {"l": 1}}},
    ),
    "a_kind_nobody_knows": ({}, {"content": [{"type": "hologram", "depth": 2}, {"type": "text", "text": "a"}]}),
    "misses_its_schema": ({"outputSchema": NUMBERS}, {"content": [], "structuredContent": {"a": "x", "b": 2**80}}),
    "no_structure": ({"outputSchema": NUMBERS}, {"content": [{"type": "text", "text": "none"}]}),
    "a_schema_that_is_none": ({"outputSchema": {"type": 7}}, {"content": [], "structuredContent": {"a": 1}}),
    "a_schema_of_lists": ({"outputSchema": {"type": "array"}}, {"content": [], "structuredContent": [1, None]}),
    "a_schema_elsewhere": (
        {"outputSchema": {"type": "object", "$ref": "#/nowhere"}},
        {"content": [], "structuredContent": {"notice": "mine"}},
    ),
    "a_failure": (
        {},
        {"content": [{"type": "text", "text": "no"}], "structuredContent": {"why": "x"}, "isError": True},
    ),
    "nothing_right": ({}, {"content": 7, "isError": "yes", "_meta": [1], "structuredContent": "a"}),
}


async def test_what_the_sdks_own_client_drops_or_refuses(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {}}
    tools = [{"name": name, "inputSchema": schema, **said} for name, (said, _) in ODD.items()]
    results = {name: result for name, (_, result) in ODD.items()}
    file = tmp_path / "canned.json"
    file.write_text(json.dumps({"tools": tools, "results": results}), encoding="utf-8")

    async def canned(_request: web.Request, message: Json) -> web.Response:
        return web.json_response({"jsonrpc": "2.0", "id": message["id"], "result": results[message["params"]["name"]]})

    for era in ERAS:
        child = [sys.executable, str(HERE / "canned_peer.py"), ERAS[era], str(file)]
        peer = Peer(era, tools=tools, misbehaves=canned)
        async with served(peer):
            calls: dict[str, Any] = {name: {} for name in ODD}
            port = int(peer.url.rpartition(":")[2].partition("/")[0])
            server = Server(child=child, port=port, of_child=(era,), of_http=(era,), calls=calls)
            (tmp_path / era).mkdir()
            await compare(tmp_path / era, server)
