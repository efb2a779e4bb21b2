"""Benchmarks reading, indexing and searching Azure operations, with as many operations as Azure has."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
import tracemalloc
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml

from azure_operations.index import OperationsIndex
from azure_operations.index_builder import build_index
from clients.folder_storage import FolderStorage
from scripts.benchmarks.measure import percentile
from tests.azure_operations.catalogue import catalogue
from tests.azure_operations.telling import Telling, World
from tests.tools.azure.known_operations import operations_of

PHRASES = Path(__file__).parent.parent.parent / "tests" / "azure_operations" / "phrases.yaml"
ROUNDS = 10


@dataclass(frozen=True)
class OperationsFigures:
    """The measurements by name, in seconds, in bytes, or as counts."""

    providers: int
    operations: int
    reading: float
    reading_memory: int
    build: float
    size: int
    open: float
    memory: int
    search_p50: float
    search_p99: float


def main() -> None:
    """Run the benchmark: python -m scripts.benchmarks.azure_operations, in a process that does nothing else."""
    json.dump(asdict(asyncio.run(measured())), sys.stdout)


async def measured() -> OperationsFigures:
    namespaces = catalogue()
    reading, most = await _reading(Telling(namespaces))
    operations = operations_of(namespaces)
    start = time.perf_counter()
    content = build_index(operations)
    build = time.perf_counter() - start
    opening = sorted(_seconds(OperationsIndex.open, content) for _ in range(9))[4]
    searches = _searches(OperationsIndex.open(content))
    return OperationsFigures(
        providers=len(namespaces),
        operations=len(operations),
        reading=reading,
        reading_memory=most,
        build=build,
        size=len(content),
        open=opening,
        memory=_memory(content),
        search_p50=percentile(searches, 50),
        search_p99=percentile(searches, 99),
    )


async def _reading(progress: Telling) -> tuple[float, int]:
    """Return the seconds until the index is published, and Python's peak memory, which includes the fake Azure."""
    with TemporaryDirectory() as folder:
        async with World(FolderStorage(Path(folder)), progress).reader() as reader:
            start = time.perf_counter()
            await reader.run()
            seconds = time.perf_counter() - start
        async with World(FolderStorage(Path(folder, "again")), progress).reader() as reader:
            tracemalloc.start()
            await reader.run()
            most = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
    return seconds, most


def _searches(index: OperationsIndex) -> list[float]:
    phrases = [phrase for phrase, _, _ in yaml.safe_load(PHRASES.read_text(encoding="utf-8"))]
    return [_seconds(index.find, phrase, 6) for phrase in phrases * ROUNDS]


def _seconds(work: Any, *arguments: Any) -> float:
    start = time.perf_counter()
    work(*arguments)
    return time.perf_counter() - start


def _memory(content: bytes) -> int:
    """Return the peak memory of a process that serves this index."""
    with TemporaryDirectory() as folder:
        file = Path(folder, "index")
        file.write_bytes(content)
        command = [sys.executable, "-m", "scripts.benchmarks.operations_memory", str(file)]
        return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


if __name__ == "__main__":
    main()
