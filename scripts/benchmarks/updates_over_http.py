"""Benchmarks two servers with 100 clients that search updates: the app in the local host, and the plain SDK with
SQLite's full-text search.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from clients.folder_storage import FolderStorage
from local_host.process import serving
from mcp_server.http.messages import HttpRequest
from scripts.benchmarks.fts import KINDS
from scripts.benchmarks.over_http import ROOT, Report, loads, on_uvicorn
from scripts.benchmarks.updates_feed import records
from scripts.benchmarks.updates_search import RESULTS, everyday_queries
from tests.fakes.updates.api import UpdatesApi
from tests.mcp_server.caller import message
from updates.keeping.store import UpdatesStore
from updates.keeping.sync import UpdatesSync
from updates.reading.feed import UpdatesFeed
from updates.record import Update
from updates.searching.index_builder import build_index
from updates.searching.index_format import FORMAT

COUNT: Final = 10_000
QUERIES: Final = 100


def measured() -> dict[str, dict[str, Report]]:
    made = records(COUNT)
    updates = [Update.from_api(record) for record in made]
    requests = [_search(query) for query in list(everyday_queries(updates))[:QUERIES]]
    results = {}
    with TemporaryDirectory() as folder:
        asyncio.run(_filled(Path(folder, "store"), UpdatesApi(made)))
        with serving(ROOT, settings={"STORAGE_FOLDER": str(Path(folder, "store"))}) as url:
            results["our app, `scripts/serve`"] = loads(url, requests)
        for name, kind in KINDS.items():
            database = Path(folder, name)
            kind(database).build(updates)
            with on_uvicorn("scripts.benchmarks.fts_server", name, str(database)) as url:
                results[f"plain SDK and {name}, uvicorn"] = loads(url, requests)
    return results


def _search(query: str) -> HttpRequest:
    return message("tools/call", {"name": "search_azure_updates", "arguments": {"query": query, "limit": RESULTS}})


async def _filled(folder: Path, api: UpdatesApi) -> None:
    async with api.serving() as url:
        sync = UpdatesSync(UpdatesFeed(url), UpdatesStore(FolderStorage(folder)), build_index, FORMAT)
        await sync.reconcile()
