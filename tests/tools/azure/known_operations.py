"""An index of the operations of Azure that tests know, kept where a server looks for it."""

from __future__ import annotations

import asyncio
import atexit
import shutil
import tempfile
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from azure_operations.index_builder import build_index
from azure_operations.index_format import FORMAT
from azure_operations.keeping import OperationsStore, PublishedOperations
from azure_operations.reading import operations_in, provider_of
from azure_operations.record import Operation
from clients.folder_storage import FolderStorage
from clients.storage import Storage
from tests.azure_operations.catalogue import Namespace, known


def operations_of(namespaces: list[Namespace]) -> list[Operation]:
    """What is read of these providers, in the order in which it is kept."""
    found: dict[str, Operation] = {}
    for namespace in namespaces:
        provider = provider_of(namespace.provider)
        assert provider
        found |= {one.name.lower(): one for one in operations_in(namespace.told, provider)[0]}
    return [found[name] for name in sorted(found)]


def kept(_purpose: str) -> Storage:
    """Storage in which the index of what is known is published, and nothing else."""
    return FolderStorage(_folder())


@cache
def _folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="known-operations-"))
    atexit.register(shutil.rmtree, folder)
    # Tests have a loop of their own, in which nobody can wait for this.
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, publish(FolderStorage(folder), operations_of(list(known().values())))).result()
    return folder


async def publish(storage: Storage, operations: list[Operation], read: datetime | None = None) -> None:
    """Publish an index of these operations, read at a moment, or just now."""
    store = OperationsStore(storage)
    await store.prepare()
    name = await store.add_index(build_index(operations))
    async with store.turn() as turn:
        assert turn
        moment = read or datetime.now(UTC)
        await store.publish(turn, PublishedOperations(name, FORMAT, moment, len(operations), len(known())))
