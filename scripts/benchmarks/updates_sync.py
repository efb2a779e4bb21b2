"""How long syncs take, from a feed on this machine into the folder store: of so many records, in seconds."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from clients.folder_storage import FolderStorage
from tests.fakes.updates.api import UpdatesApi
from updates.keeping.store import UpdatesStore
from updates.keeping.sync import UpdatesSync
from updates.reading.feed import UpdatesFeed
from updates.reading.sample import records
from updates.searching.index_builder import build_index
from updates.searching.index_format import FORMAT


async def measured(count: int) -> dict[str, float]:
    api = UpdatesApi(records(count))
    seconds = {}
    with TemporaryDirectory() as folder:
        async with api.serving() as url:
            sync = UpdatesSync(UpdatesFeed(url), UpdatesStore(FolderStorage(Path(folder))), build_index, FORMAT)
            steps = {"first sync": sync.reconcile, "delta": sync.delta, "reconcile": sync.reconcile}
            for name, step in steps.items():
                start = time.perf_counter()
                report = await step()
                seconds[name] = time.perf_counter() - start
                if report.reason:
                    raise RuntimeError(str(report))
    return seconds


if __name__ == "__main__":
    json.dump(asyncio.run(measured(int(sys.argv[1]))), sys.stdout)
