"""Creates an index of sample updates in a folder: python -m scripts.benchmarks.updates_folder COUNT FOLDER."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from clients.folder_storage import FolderStorage
from tests.fakes.updates.api import UpdatesApi
from updates.keeping.store import UpdatesStore
from updates.keeping.sync import UpdatesSync
from updates.reading.feed import UpdatesFeed
from updates.reading.sample import records
from updates.searching.index_builder import build_index
from updates.searching.index_format import FORMAT


async def main() -> None:
    count, folder = int(sys.argv[1]), Path(sys.argv[2])
    async with UpdatesApi(records(count)).serving() as url:
        store = UpdatesStore(FolderStorage(folder))
        report = await UpdatesSync(UpdatesFeed(url), store, build_index, FORMAT).reconcile()
        if report.reason:
            raise RuntimeError(str(report))


asyncio.run(main())
