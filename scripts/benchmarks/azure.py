"""Compares this server over HTTP with the official Azure MCP Server over stdio. Both servers read from the same fake
Azure.
"""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import partial
from http.client import HTTPConnection
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, Final
from urllib.parse import urlsplit

from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types import TextContent

from local_host.process import running
from scripts.benchmarks.measure import Timing, side_by_side
from tests.fakes.azure.people import HOME, OWNER
from tests.fakes.azure.service import FakeAzure
from tests.fakes.https import Asked, Told, certify, proxied
from tests.npm import installed
from tests.offline import offline

ROOT: Final = Path(__file__).resolve().parent.parent.parent
PEER: Final = Path(__file__).parent / "azure_peer"
ROUNDS: Final = 50
SUBSCRIPTION: Final = "Bakery Production"
GROUP: Final = "shop-prod"
_MANAGEMENT: Final = "management.azure.com"
_AZ: Final = "#!/bin/sh\nexec cat '{}'\n"
_LAST_MOMENT: Final = 4102444800

Call = tuple[str, dict[str, Any]]


@dataclass(frozen=True)
class AzureRead:
    """A read operation, as a tool call to each server. Both answers must contain `text`."""

    ours: Call
    official: Call
    text: str


@dataclass(frozen=True)
class AzureCost:
    timing: Timing
    requests: int
    tokens: float


@dataclass(frozen=True)
class Server:
    """The startup cost of a server: seconds until the first tool list, memory afterwards, and tokens in the list."""

    seconds: float
    megabytes: float
    tools: int
    tokens: float


@dataclass(frozen=True)
class AzureFigures:
    servers: dict[str, Server]
    calls: dict[str, dict[str, AzureCost]]


READS: Final = {
    "the resource groups of a subscription": AzureRead(
        ("list_resource_groups", {"subscription": SUBSCRIPTION}), ("group_list", {"subscription": SUBSCRIPTION}), GROUP
    ),
    "the resources of a resource group": AzureRead(
        ("list_resources", {"subscription": SUBSCRIPTION, "resource_group": GROUP}),
        ("group_resource_list", {"subscription": SUBSCRIPTION, "resource-group": GROUP}),
        "shop-web",
    ),
    "the storage accounts of a subscription": AzureRead(
        ("list_storage_accounts", {"subscription": SUBSCRIPTION}),
        ("storage_account_get", {"subscription": SUBSCRIPTION}),
        "bakeryshop",
    ),
}


async def measured() -> AzureFigures:
    fake = FakeAzure()
    async with AsyncExitStack() as stack:
        enter = stack.enter_async_context
        cloud = await enter(fake.serving())
        folder = Path(stack.enter_context(TemporaryDirectory()))
        path = _signed_in(folder)
        ours, our_start = await enter(_ours(cloud, folder, path))
        internet = stack.enter_context(_internet(cloud, folder))
        official, official_start = await enter(_official(internet, path))
        calls = {name: await _costs(fake, read, ours=ours, official=official) for name, read in READS.items()}
        return AzureFigures({"ours, over HTTP": our_start, "official, over stdio": official_start}, calls)


def official_version() -> str:
    dependencies: dict[str, str] = json.loads((PEER / "package.json").read_text(encoding="utf-8"))["dependencies"]
    [(name, version)] = dependencies.items()
    return f"{name} {version}"


def _signed_in(folder: Path) -> str:
    """Return a value for `PATH` that includes a fake `az`, which is signed in as the owner of all resources."""
    token = {"accessToken": OWNER.token, "expires_on": _LAST_MOMENT, "tokenType": "Bearer"}
    token |= {"expiresOn": "2100-01-01 00:00:00.000000", "tenant": HOME}
    (folder / "token.json").write_text(json.dumps(token), encoding="utf-8")
    (folder / "bin").mkdir()
    az = folder / "bin" / "az"
    az.write_text(_AZ.format(folder / "token.json"), encoding="utf-8")
    az.chmod(0o700)
    (folder / "azureProfile.json").write_text('{"subscriptions": [{}]}', encoding="utf-8")
    return f"{az.parent}{os.pathsep}{os.environ['PATH']}"


@asynccontextmanager
async def _ours(cloud: str, folder: Path, path: str) -> AsyncIterator[tuple[Client, Server]]:
    settings = offline(folder / "storage") | {"AZURE_CLOUD": cloud, "AZURE_CONFIG_DIR": str(folder), "PATH": path}
    start = perf_counter()
    async with running(ROOT, settings=settings) as url, Client(f"{url}/mcp/x/account,resource,storage") as client:
        yield client, await _server(client, start)


@asynccontextmanager
async def _official(internet: dict[str, str], path: str) -> AsyncIterator[tuple[Client, Server]]:
    packages = installed(PEER)
    (program,) = packages.folder.glob("node_modules/@azure/mcp-*/dist/azmcp")
    namespaces = [word for name in ("subscription", "group", "storage") for word in ("--namespace", name)]
    environment = {
        "PATH": path,
        "HOME": str(packages.folder),
        "AZURE_TOKEN_CREDENTIALS": "AzureCliCredential",
        "AZURE_MCP_COLLECT_TELEMETRY": "false",
        **internet,
    }
    arguments = ["server", "start", "--mode", "all", "--read-only", *namespaces]
    start = perf_counter()
    async with Client(
        stdio_client(StdioServerParameters(command=str(program), args=arguments, env=environment))
    ) as client:
        yield client, await _server(client, start)


async def _server(client: Client, start: float) -> Server:
    tools = (await client.list_tools()).tools
    seconds = perf_counter() - start
    documents = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools]
    size = _tokens(json.dumps({"tools": documents}, separators=(",", ":")))
    return Server(seconds, _megabytes_of_newest(), len(tools), size)


def _megabytes_of_newest() -> float:
    """Return the memory of the newest child process and its descendants, in MB."""
    parents = {status.parent: int(_in_status(status, "PPid")) for status in Path("/proc").glob("[0-9]*/status")}
    newest = max((process for process, parent in parents.items() if parent == os.getpid()), key=_number)
    family = [process for process in parents if newest in _line(process, parents)]
    return sum(int(_in_status(process / "status", "VmRSS")) for process in family) / 1e3


def _line(process: Path, parents: Mapping[Path, int]) -> Iterator[Path]:
    """Yield a process and its ancestors."""
    while process in parents:
        yield process
        process = process.parent / str(parents[process])


def _number(process: Path) -> int:
    return int(process.name)


def _in_status(status: Path, name: str) -> str:
    """Return a number from a process's status file, or 0 if the process has ended."""
    try:
        lines = status.read_text(encoding="utf-8").splitlines()
    except OSError:
        return "0"
    return next((line.split()[1] for line in lines if line.startswith(f"{name}:")), "0")


@contextmanager
def _internet(cloud: str, folder: Path) -> Iterator[dict[str, str]]:
    """Yield environment variables that make a program use the fake Azure."""
    certified = certify(folder / "certificate.pem", _MANAGEMENT)
    with proxied(certified, partial(_passed_on, urlsplit(cloud).netloc)) as variables:
        yield variables


def _passed_on(cloud: str, request: Asked) -> Told:
    if request.host != _MANAGEMENT:
        return Told(404)
    connection = HTTPConnection(cloud)
    headers = {name: value for name, value in request.headers.items() if name in {"authorization", "content-type"}}
    connection.request(request.method, request.path, request.body or None, headers)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return Told(answer.status, body, {"Content-Type": answer.getheader("Content-Type") or ""})


async def _costs(fake: FakeAzure, read: AzureRead, *, ours: Client, official: Client) -> dict[str, AzureCost]:
    asks = {
        "ours, over HTTP": partial(_called, ours, read.ours),
        "official, over stdio": partial(_called, official, read.official),
    }
    counts = {who: await _counted(fake, read, who, ask) for who, ask in asks.items()}
    timings = await side_by_side(dict(asks), ROUNDS)
    return {who: AzureCost(timings[who], requests, tokens) for who, (requests, tokens) in counts.items()}


async def _counted(fake: FakeAzure, read: AzureRead, who: str, ask: Callable[[], Awaitable[str]]) -> tuple[int, float]:
    """Return the number of requests that the first call sends, and the number of tokens in its answer."""
    before = len(fake.asked)
    text = await ask()
    if read.text not in text:
        raise RuntimeError(f"{who}: {text}")
    return len(fake.asked) - before, _tokens(text)


async def _called(client: Client, call: Call) -> str:
    result = await client.call_tool(*call)
    return "".join(part.text for part in result.content if isinstance(part, TextContent))


def _tokens(text: str) -> float:
    return len(text.encode()) / 4
