"""Each real storage, empty, with what a test needs to do to it from outside."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from azure.core.exceptions import ResourceExistsError, ResourceNotFoundError
from azure.storage.blob.aio import BlobLeaseClient, BlobServiceClient

from clients.azure_storage import AzureStorage
from clients.folder_storage import FolderStorage
from clients.storage import Storage
from tests.fakes.azurite import connection_string_of_azurite


class Clock:
    """Seconds that pass when the test says so."""

    def __init__(self) -> None:
        self.now = 1_780_315_200.0

    def __call__(self) -> float:
        return self.now


@dataclass(frozen=True)
class Place:
    """Somewhere to store things: as one process reaches it, as another does, and how a lease on it runs out."""

    storage: Storage
    of_another_process: Storage
    let_lease_run_out: Callable[[str], Awaitable[None]]


@asynccontextmanager
async def place(kind: str, folder: Path) -> AsyncIterator[Place]:
    opened = folder_place(folder) if kind == "folder" else azurite_place()
    try:
        yield opened
    finally:
        await opened.storage.close()
        await opened.of_another_process.close()


def folder_place(folder: Path) -> Place:
    clock = Clock()

    async def let_lease_run_out(_name: str) -> None:
        clock.now += 61

    return Place(FolderStorage(folder, clock), FolderStorage(folder, clock), let_lease_run_out)


def azurite_place() -> Place:
    connection, name = connection_string_of_azurite(), f"t{uuid4().hex}"

    async def let_lease_run_out(file: str) -> None:
        async with BlobServiceClient.from_connection_string(connection) as service:
            with suppress(ResourceExistsError, ResourceNotFoundError):  # there is no lease that could run out
                await BlobLeaseClient(service.get_blob_client(name, file)).break_lease(0)

    return Place(
        AzureStorage.from_connection_string(connection, name),
        AzureStorage.from_connection_string(connection, name),
        let_lease_run_out,
    )
