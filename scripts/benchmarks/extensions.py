"""Benchmarks extensions: memory, the first call, later calls, and reading a stored sign-in."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Final

from mcp.client import Client

from app.build import App
from extensions.upstream.connecting import upstream_at
from extensions.upstream.question import ServerRequest
from scripts.benchmarks.measure import Timing, shown, side_by_side
from scripts.benchmarks.updates_memory import most_resident
from tests.extensions.place import app_at, child_of, entry_of, running
from tests.extensions.sign_in.desk import ADA, Entry, desk_in
from tests.fakes.extensions.peer import Peer, served
from tests.mcp_server.caller import Caller

ROUNDS: Final = 1000
STARTS: Final = 9
TEN: Final = 10
_READ: Final = "tools: {'*': read}"
_WORDS: Final = {"text": "x"}
_ROOT: Final = Path(__file__).resolve().parent.parent.parent


@dataclass(frozen=True)
class ExtensionFigures:
    calls: dict[str, Timing]
    first: dict[str, float]
    sign_in: Timing
    # The peak memory in bytes, by the number of installed extensions.
    memory: dict[int, float]

    @property
    def added(self) -> float:
        return self.calls[THROUGH].median - self.calls[ALONE].median


ALONE: Final = "an HTTP request to the extension, without an MCP client"
DIRECTLY: Final = "a call from the SDK's client to the extension"
THROUGH: Final = "a call to this server, without an MCP client; this server calls the extension"


async def measured() -> ExtensionFigures:
    with TemporaryDirectory() as folder:
        calls = await _calls(Path(folder))
    first = {kind: await _first(entry_maker) for kind, entry_maker in _KINDS.items()}
    return ExtensionFigures(calls, first, await _signed_in(), await _memory())


async def _calls(folder: Path) -> dict[str, Timing]:
    peer = _valid_peer()
    async with served(peer), _app(folder, entry_of(peer, _READ)) as app, Client(peer.url) as client:
        bare = upstream_at("bench", peer.url, None, is_private=True, largest=1_000_000)
        question = ServerRequest(method="tools/call", params={"name": "echo", "arguments": _WORDS})
        caller = Caller(app.endpoint, "stage")
        subjects: dict[str, Callable[[], Awaitable[object]]] = {
            ALONE: lambda: bare.ask(question, seconds=30),
            DIRECTLY: lambda: client.call_tool("echo", _WORDS),
            THROUGH: lambda: caller.call("stage_echo", **_WORDS),
        }
        timings = await side_by_side(subjects, ROUNDS)
        await bare.close()
        return timings


def _valid_peer() -> Peer:
    """Return a fake extension server whose tool list is also valid for the SDK's client."""
    peer = Peer(result={"resultType": "complete", "content": [{"type": "text", "text": "done"}]})
    peer.raw["tools/list"] = json.dumps(
        {"resultType": "complete", "tools": peer.tools, "ttlMs": peer.ttl, "cacheScope": "public"}
    )
    return peer


@asynccontextmanager
async def _app(folder: Path, entries: str) -> AsyncIterator[App]:
    async with running(app_at(folder, entries)) as app:
        yield app


async def _first(entry: Callable[[Peer], str]) -> float:
    """Return the median time of the first call to an extension in a new process. The tools of the extension are already
    pinned.
    """
    seconds = []
    with TemporaryDirectory() as folder:
        async with served(Peer()) as peer:
            async with _app(Path(folder), entry(peer)):
                pass  # the app has started, and has pinned the tools of the extension
            for _ in range(STARTS):
                async with _app(Path(folder), entry(peer)) as app:
                    caller = Caller(app.endpoint, "stage")
                    (name, *_) = await caller.tool_names()
                    start = perf_counter()
                    await caller.call(name, **(_WORDS if name == "stage_echo" else {}))
                    seconds.append(perf_counter() - start)
    return median(seconds)


def _at_an_address(peer: Peer) -> str:
    return entry_of(peer, _READ)


def _as_a_process(_peer: Peer) -> str:
    return child_of([sys.executable, str(_ROOT / "tests" / "extensions" / "child_peer.py"), "current"], _READ)


_KINDS: Final = {"a server at a URL": _at_an_address, "a local process": _as_a_process}


async def _signed_in() -> Timing:
    """Measure how long it takes to read and decrypt a stored sign-in."""
    with TemporaryDirectory() as folder:
        async with desk_in(Path(folder)) as desk:
            entry, at = Entry(), desk.instance()
            await desk.signed_in(at, entry)
            return (await side_by_side({"": lambda: at.headers(entry, ADA)}, ROUNDS))[""]


async def _memory() -> dict[int, float]:
    with TemporaryDirectory() as folder:
        async with served(Peer()) as peer, _app(Path(folder), _entries(peer, TEN)):
            pass  # the app has started, and has pinned the tools of the extensions
        return {known: _in_own_process(str(known), folder) for known in (0, 1, TEN)}


def _entries(peer: Peer, count: int) -> str:
    return "".join(entry_of(peer, _READ, name=f"stage{number}") for number in range(count))


def _in_own_process(*arguments: str) -> float:
    command = [sys.executable, "-m", "scripts.benchmarks.extensions", *arguments]
    run = subprocess.run(command, stdout=subprocess.PIPE, check=True, cwd=_ROOT)
    return float(json.loads(run.stdout))


async def _remembered(known: int, folder: Path) -> int:
    """Return the peak memory of a process that has listed its own tools and its extensions' tools."""
    app = app_at(folder, _entries(Peer(url="http://127.0.0.1:9/mcp"), known))
    names = await Caller(app.endpoint, "all").tool_names()
    if sum(name.startswith("stage") for name in names) != known:
        raise RuntimeError("The list does not have the expected tools.")
    resident = most_resident()
    await app.close()
    return resident


def section() -> str:
    print("measuring extensions ...", flush=True)
    found = asyncio.run(measured())
    calls = "".join(f"| {name} | {shown(one.median)} | {shown(one.p99)} |\n" for name, one in found.calls.items())
    first = "".join(f"| {name} | {shown(seconds)} |\n" for name, seconds in found.first.items())
    one, ten = ((found.memory[known] - found.memory[0]) / 2**20 for known in (1, TEN))
    return f"""## Extensions

An [extension](extensions.md) is another MCP server whose tools this server offers. The next table compares three
ways to call the same tool. Each way was measured with {ROUNDS:,} calls.

| way to call | median | p99 |
|---|---|---|
{calls}
{_added(found)}
In the first call, this server also connects to the extension or starts the extension's process.

| extension | first call (median of {STARTS} starts) |
|---|---|
{first}
Before the first call, one extension needs {one:.1f} MB of memory, and {TEN} extensions together need {ten:.1f} MB.
"""


def _added(found: ExtensionFigures) -> str:
    share = 100 * found.added / found.calls[DIRECTLY].median
    return f"""This server adds {shown(found.added)} to a call to the extension. This is {share:.0f} %
of the time that the SDK's client needs for a call. If users must sign in to the extension, reading the
stored token takes another {shown(found.sign_in.median)} (p99 {shown(found.sign_in.p99)}).
"""


if __name__ == "__main__":
    print(json.dumps(asyncio.run(_remembered(int(sys.argv[1]), Path(sys.argv[2])))))
