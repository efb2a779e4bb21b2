"""Compares how this server (in process and over HTTP) and the official server (over stdio) read from Azure DevOps."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from aiohttp import ClientSession
from azure.core.pipeline.transport import AioHttpTransport
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types import TextContent

from clients.azure_devops.connection import basic_authorization
from local_host.process import running
from scripts.benchmarks.azure_devops_fake import BUG, BUILDS, PROJECT, PULL_REQUESTS, REPOSITORY, FakeForTwo
from scripts.benchmarks.measure import Timing, side_by_side
from tests.fakes.azure_devops.service import ORGANIZATION
from tests.mcp_server.caller import Caller
from tests.npm import installed
from tests.offline import offline
from tests.tools.azure_devops.calling import TOKEN, calling

ROOT: Final = Path(__file__).resolve().parent.parent.parent
PEER: Final = Path(__file__).parent / "azure_devops_peer"
ROUNDS: Final = 200

Call = tuple[str, dict[str, Any]]
Ask = Callable[[], Awaitable[str]]


@dataclass(frozen=True)
class DevOpsRead:
    """A read operation, as a REST request and as a tool call to each server. All answers must contain `text`."""

    request: str
    ours: Call
    official: Call
    text: str


@dataclass(frozen=True)
class DevOpsCost:
    """The cost of a call: requests and connections to Azure DevOps, and tokens in the answer."""

    timing: Timing
    requests: int
    connections: int
    tokens: float


@dataclass(frozen=True)
class Listing:
    tools: int
    tokens: float


@dataclass(frozen=True)
class DevOpsFigures:
    calls: dict[str, dict[str, DevOpsCost]]
    listings: dict[str, Listing]


READS: Final = {
    "a work item": DevOpsRead(
        "/_apis/wit/workitems/1?$expand=relations&api-version=7.1",
        ("get_work_item", {"id": 1}),
        ("wit_work_item", {"action": "get", "project": PROJECT, "id": 1, "expand": "Relations"}),
        BUG,
    ),
    f"{PULL_REQUESTS} pull requests": DevOpsRead(
        f"/{PROJECT}/_apis/git/repositories/{REPOSITORY}/pullrequests"
        "?searchCriteria.status=active&$top=50&api-version=7.1",
        ("list_pull_requests", {"project": PROJECT, "repository": REPOSITORY}),
        ("repo_pull_request", {"action": "list", "project": PROJECT, "repositoryId": REPOSITORY, "top": 50}),
        f"Change {PULL_REQUESTS}",
    ),
    f"{BUILDS} builds": DevOpsRead(
        f"/{PROJECT}/_apis/build/builds?queryOrder=queueTimeDescending&$top=50&api-version=7.1",
        ("list_builds", {"project": PROJECT}),
        ("pipelines_build", {"action": "list", "project": PROJECT, "queryOrder": "QueueTimeDescending", "top": 50}),
        "20260506.101",
    ),
}
_HEADERS: Final = {"Authorization": basic_authorization(TOKEN), "X-TFS-FedAuthRedirect": "Suppress"}


async def measured() -> DevOpsFigures:
    fake = FakeForTwo()
    async with AsyncExitStack() as stack:
        enter = stack.enter_async_context
        url = await enter(fake.serving())
        caller = await enter(calling(AioHttpTransport(), url))
        await fake.fill(caller)
        session = await enter(ClientSession(headers=_HEADERS))
        host = await enter(_our_host(url))
        unchosen, ours = await enter(Client(f"{host}/mcp")), await enter(Client(f"{host}/mcp/x/devops"))
        official = await enter(_official(url))
        listings = {
            "ours, without a toolset": await _listing(unchosen),
            "ours, with all toolsets of Azure DevOps": await _listing(ours),
            "official": await _listing(official),
        }
        calls = {}
        for name, read in READS.items():
            asks: dict[str, Ask] = {
                "a REST request, without MCP": partial(_asked, session, url + read.request),
                "ours, in process": partial(_called_directly, caller, read.ours),
                "ours, over HTTP": partial(_called, ours, read.ours),
                "official, over stdio": partial(_called, official, read.official),
            }
            calls[name] = await _costs(fake, read.text, asks)
        return DevOpsFigures(calls, listings)


def official_version() -> str:
    dependencies: dict[str, str] = json.loads((PEER / "package.json").read_text(encoding="utf-8"))["dependencies"]
    [(name, version)] = dependencies.items()
    return f"{name} {version}"


@asynccontextmanager
async def _our_host(azure_devops: str) -> AsyncIterator[str]:
    with TemporaryDirectory() as folder:
        settings = offline(Path(folder, "storage")) | {"ADO_ORG_URL": azure_devops, "ADO_PAT": TOKEN}
        async with running(ROOT, settings=settings) as url:
            yield url


@asynccontextmanager
async def _official(azure_devops: str) -> AsyncIterator[Client]:
    packages = installed(PEER)
    program = packages.folder / "node_modules" / "@azure-devops" / "mcp" / "dist" / "index.js"
    server = StdioServerParameters(
        command="node",
        # If a tenant is configured, the server does not look up the tenant.
        args=["--require", str(PEER / "preload.cjs"), str(program), ORGANIZATION, "-a", "pat", "-t", "invented"],
        env={
            "PATH": packages.variables["PATH"],
            "AZURE_DEVOPS_FAKE": azure_devops,
            "PERSONAL_ACCESS_TOKEN": b64encode(f":{TOKEN}".encode()).decode(),
            "LOG_LEVEL": "error",
        },
    )
    async with Client(stdio_client(server)) as client:
        yield client


async def _listing(client: Client) -> Listing:
    tools = (await client.list_tools()).tools
    documents = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools]
    return Listing(len(tools), _tokens(json.dumps({"tools": documents}, separators=(",", ":"))))


async def _costs(fake: FakeForTwo, expected: str, asks: dict[str, Ask]) -> dict[str, DevOpsCost]:
    timings = await side_by_side(dict(asks), ROUNDS)
    costs = {}
    for who, ask in asks.items():
        requests, connections = len(fake.asked), fake.connections
        text = await ask()
        if expected not in text:
            raise RuntimeError(f"{who}: {text}")
        sent, opened = len(fake.asked) - requests, fake.connections - connections
        costs[who] = DevOpsCost(timings[who], sent, opened, _tokens(text))
    return costs


async def _asked(session: ClientSession, url: str) -> str:
    async with session.get(url) as response:
        return json.dumps(await response.json())


async def _called_directly(caller: Caller, call: Call) -> str:
    tool, arguments = call
    text: str = (await caller.call(tool, **arguments))["content"][0]["text"]
    return text


async def _called(client: Client, call: Call) -> str:
    result = await client.call_tool(*call)
    return "".join(part.text for part in result.content if isinstance(part, TextContent))


def _tokens(text: str) -> float:
    return len(text.encode()) / 4
