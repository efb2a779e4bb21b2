"""Benchmarks the search engine, the reference and the whole tool call, with different numbers of updates."""

from __future__ import annotations

import asyncio
import json
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar, cast

from mcp_server.catalog.catalog import Catalog
from mcp_server.catalog.catalogs import Catalogs
from mcp_server.http.endpoint import Endpoint
from mcp_server.http.gate import LOCAL_HOSTS, Gate
from mcp_server.http.reception import Reception
from mcp_server.server import McpServer, ServerInfo
from scripts.benchmarks.fts import Fts
from scripts.benchmarks.measure import percentile
from tests.fakes.opened import Opened
from tests.mcp_server.caller import message
from tools import azure_updates
from tools.azure_updates.access import UPDATES, UpdatesAccess
from updates.changes import StoredUpdate
from updates.library import UpdatesLibrary
from updates.reading.sample import records
from updates.record import Update
from updates.searching.index import UpdatesIndex
from updates.searching.index_builder import build_index
from updates.searching.search import UpdateSearch

T = TypeVar("T")

RESULTS = 20
ROUNDS = 600


@dataclass(frozen=True)
class SearchFigures:
    """The measurements by name, in seconds or bytes."""

    count: int
    build: float
    size: int
    open: float
    memory: int
    engine_p50: float
    engine_p99: float
    reference_p50: float
    reference_p99: float
    call_p50: float
    call_p99: float


def main() -> None:
    """Measure one number of updates in a separate process: python -m scripts.benchmarks.updates_search COUNT."""
    json.dump(asdict(measured(int(sys.argv[1]))), sys.stdout)


def measured(count: int) -> SearchFigures:
    updates = [Update.from_api(record) for record in records(count)]
    queries = list(everyday_queries(updates))
    start = time.perf_counter()
    content = build_index([StoredUpdate(update) for update in updates], {})
    build = time.perf_counter() - start
    opened = sorted(_seconds(lambda _: UpdatesIndex.open(content), range(9)))[4]
    index = UpdatesIndex.open(content)
    engine = _seconds(lambda query: index.search(UpdateSearch(query, limit=RESULTS, semantic=True)), queries)
    reference = _reference(updates, queries[: ROUNDS // 4])
    calls = asyncio.run(_calls(index, queries))
    spread = [percentile(values, percent) for values in (engine, reference, calls) for percent in (50, 99)]
    return SearchFigures(count, build, len(content), opened, _memory(content), *spread)


def _reference(updates: list[Update], queries: list[str]) -> list[float]:
    with TemporaryDirectory() as folder:
        fts = Fts(Path(folder, "fts.db"))
        fts.build(updates)
        return _seconds(lambda query: fts.search(query, RESULTS), queries)


def _memory(content: bytes) -> int:
    """Return the peak memory of a process that serves this index."""
    with TemporaryDirectory() as folder:
        file = Path(folder, "index")
        file.write_bytes(content)
        command = [sys.executable, "-m", "scripts.benchmarks.updates_memory", str(file)]
        return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def everyday_queries(updates: list[Update]) -> Iterator[str]:
    """Yield typical queries: a whole title, a product, a topic, or a product with a topic."""
    chance = random.Random(7)  # noqa: S311 - nothing secret is drawn
    topics = ("retirement", "preview", "security", "pricing", "networking", "backup", "regions", "upgrade")
    for _ in range(ROUNDS):
        update = chance.choice(updates)
        product = chance.choice(update.products or ("Azure",))
        yield chance.choice((update.title, product, f"{product} {chance.choice(topics)}", chance.choice(topics)))


async def _calls(index: UpdatesIndex, queries: list[str]) -> list[float]:
    """Measure whole calls, from the bytes of the request to the bytes of the answer."""
    endpoint = endpoint_of(index)
    seconds = []
    for query in queries:
        arguments = {"query": query, "limit": RESULTS}
        request = message("tools/call", {"name": "search_azure_updates", "arguments": arguments})
        start = time.perf_counter()
        answer = await endpoint.handle(request, "all")
        seconds.append(time.perf_counter() - start)
        if answer.status != 200 or b'"isError":true' in answer.body:
            raise RuntimeError(answer.body.decode())
    return seconds[20:]


def endpoint_of(index: UpdatesIndex) -> Endpoint:
    catalog = Catalog([azure_updates.toolset], ())
    library, nothing = cast("UpdatesLibrary", _Shelf(index)), cast("Any", None)
    access = UpdatesAccess(library, addresses=nothing, reports=nothing)
    opened = Opened({UPDATES: access})
    server = McpServer(ServerInfo("bench", "Bench", "1", ""), lambda: nullcontext(opened), [])
    return Endpoint(server, Catalogs(catalog), Reception(Gate.of(LOCAL_HOSTS, ())))


class _Shelf:
    """An update library that contains only an open index."""

    def __init__(self, index: UpdatesIndex) -> None:
        self._index = index

    async def index(self) -> UpdatesIndex:
        return self._index


def _seconds(work: Callable[[T], object], inputs: Iterable[T]) -> list[float]:
    seconds = []
    for query in inputs:
        start = time.perf_counter()
        work(query)
        seconds.append(time.perf_counter() - start)
    return seconds


if __name__ == "__main__":
    main()
