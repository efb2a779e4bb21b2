"""Measures syncs from a local feed to storage in a folder, and the memory of the app's process afterwards.

Prints the CPU seconds of each sync, the peak memory, and the memory while serving, in bytes.
"""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from clients.folder_storage import FolderStorage
from composition import APP
from kept_index.reader import IndexReader
from scripts.benchmarks.updates_memory import most_resident
from updates.keeping.store import UpdatesStore
from updates.keeping.sync import UpdatesSync
from updates.reading.feed import UpdatesFeed
from updates.searching.index import UpdatesIndex
from updates.searching.index_builder import build_index
from updates.searching.index_format import FORMAT


async def measured(url: str, folder: Path) -> dict[str, float]:
    store = UpdatesStore(FolderStorage(folder))
    reader = IndexReader(store, UpdatesIndex.open, FORMAT)
    sync = UpdatesSync(UpdatesFeed(url), store, build_index, FORMAT)
    found = {}
    for name, step in {"first sync": sync.reconcile, "delta": sync.delta, "reconcile": sync.reconcile}.items():
        start = time.process_time()
        report = await step()
        found[name] = time.process_time() - start
        if report.reason:
            raise RuntimeError(str(report))
        await reader.look()
    return {**found, "most": most_resident(), "serving": _resident()}


def _resident() -> int:
    found = re.search(r"VmRSS:\s+(\d+) kB", Path("/proc/self/status").read_text(encoding="utf-8"))
    return int(found[1]) * 1024 if found else 0


@contextmanager
def _feed(count: int) -> Iterator[str]:
    command = [sys.executable, "-m", "scripts.benchmarks.updates_feed", str(count)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        if process.stdin is None or process.stdout is None:
            raise RuntimeError("the feed's process has no pipes")
        yield process.stdout.readline().strip()
        process.stdin.close()


if __name__ == "__main__":
    _ = APP.endpoint
    with _feed(int(sys.argv[1])) as address, TemporaryDirectory() as place:
        json.dump(asyncio.run(measured(address, Path(place))), sys.stdout)
