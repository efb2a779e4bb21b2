"""Measures the CPU time of searching a realistic number of updates, in one process without a network.

This server's time includes everything that the worker does for a request. The script compares this time with that
of the plain SDK's ASGI app, which uses SQLite's full-text search. To measure one size, run
python -m scripts.benchmarks.updates_calls COUNT.
"""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import sys
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

from mcp_server.http.messages import HttpRequest, run
from scripts.benchmarks.fts import KINDS
from scripts.benchmarks.fts_server import server_of
from scripts.benchmarks.updates_feed import records
from scripts.benchmarks.updates_search import RESULTS, endpoint_of, everyday_queries
from tests.mcp_server.caller import message
from updates.changes import StoredUpdate
from updates.record import Update
from updates.searching.index import UpdatesIndex
from updates.searching.index_builder import build_index

QUERIES, ROUNDS = 100, 5
OURS = "ours"

Subject = Callable[[HttpRequest], Awaitable[object]]


async def measured(count: int) -> dict[str, float]:
    """Return how many CPU seconds a call takes on each server."""
    updates = [Update.from_api(record) for record in records(count)]
    index = UpdatesIndex.open(build_index([StoredUpdate(update) for update in updates], {}))
    requests = [_search(query) for query in list(everyday_queries(updates))[:QUERIES]]
    endpoint = endpoint_of(index)
    _write_logs_to_memory()
    with TemporaryDirectory() as folder:
        async with AsyncExitStack() as stack:
            subjects: dict[str, Subject] = {OURS: lambda request: endpoint.handle(request, "all")}
            for name, kind in KINDS.items():
                fts = kind(Path(folder, name))
                fts.build(updates)
                app = server_of(fts).streamable_http_app(json_response=True, stateless_http=True)
                await stack.enter_async_context(app.router.lifespan_context(app))
                subjects[name] = lambda request, app=app: run(app, request, {})  # type: ignore[misc]
            return await _side_by_side(subjects, requests)


async def _side_by_side(subjects: Mapping[str, Subject], requests: Sequence[HttpRequest]) -> dict[str, float]:
    """Return the shortest time of several rounds. Subjects alternate, so that other load affects all equally."""
    seconds: dict[str, list[float]] = {name: [] for name in subjects}
    gc.collect()
    gc.freeze()
    for _ in range(ROUNDS):
        for name, subject in subjects.items():
            start = time.process_time()
            for request in requests:
                await subject(request)
            seconds[name].append((time.process_time() - start) / len(requests))
    return {name: min(rounds) for name, rounds in seconds.items()}


def _search(query: str) -> HttpRequest:
    return message("tools/call", {"name": "search_azure_updates", "arguments": {"query": query, "limit": RESULTS}})


def _write_logs_to_memory() -> None:
    # The plain SDK's server prints colored logs. Printing takes longer than a call.
    logger = logging.getLogger("audit")
    logger.addHandler(logging.StreamHandler(StringIO()))
    logger.propagate = False


if __name__ == "__main__":
    json.dump(asyncio.run(measured(int(sys.argv[1]))), sys.stdout)
