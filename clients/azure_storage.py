"""Storage in an Azure storage account: a table for rows, and a container for files."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Self

from azure.core import MatchConditions
from azure.core.credentials_async import AsyncTokenCredential
from azure.core.exceptions import AzureError, HttpResponseError, ResourceExistsError, ResourceNotFoundError
from azure.data.tables import UpdateMode
from azure.data.tables.aio import TableServiceClient
from azure.storage.blob.aio import BlobLeaseClient, BlobServiceClient, LinearRetry

from clients.storage import PAST_ALL_KEYS, ConflictError, FileEntry, Row, StorageError, StoredFile
from clients.transport import HttpTransport

# the maximum size of a binary property; longer content is split into the properties d00, d01, ...
PIECE = 64 * 1024
LARGEST_PAGE = 1000  # the maximum number of rows in a page of a query
READS_AT_ONCE = 20
UPLOADS_AT_ONCE = 4
RETRIES = 3
# Larger files are uploaded in blocks. Sending more than 1 MiB in one request would block the event loop.
PIECES: dict[str, Any] = {"max_single_put_size": 1024 * 1024, "max_block_size": 1024 * 1024}


class AzureStorage:
    """A table and a container in a storage account or in Azurite.

    Closing the storage also closes its credential.
    """

    def __init__(
        self,
        tables: TableServiceClient,
        blobs: BlobServiceClient,
        name: str,
        credential: AsyncTokenCredential | None = None,
    ) -> None:
        self._credential = credential
        self._tables, self._blobs = tables, blobs
        self._table = tables.get_table_client(name)
        self._container = blobs.get_container_client(name)

    @classmethod
    def from_connection_string(cls, text: str, name: str, retries: int = RETRIES) -> Self:
        tables = TableServiceClient.from_connection_string(text, retry_total=retries, transport=storage_transport())
        blobs = BlobServiceClient.from_connection_string(text, **_blob_options(retries))
        return cls(tables, blobs, name)

    @classmethod
    def from_accounts(
        cls, tables_url: str, blobs_url: str, credential: AsyncTokenCredential, name: str, retries: int = RETRIES
    ) -> Self:
        tables = TableServiceClient(
            tables_url, credential=credential, retry_total=retries, transport=storage_transport()
        )
        blobs = BlobServiceClient(blobs_url, credential=credential, **_blob_options(retries))
        return cls(tables, blobs, name, credential)

    async def prepare(self) -> None:
        with storage_failures():
            await self._tables.create_table_if_not_exists(self._table.table_name)
            with suppress(ResourceExistsError):
                await self._container.create_container()

    async def close(self) -> None:
        await self._tables.close()
        await self._blobs.close()
        if self._credential:
            await self._credential.close()

    async def scan(self, partition: str, prefix: str, limit: int | None = None, after: str = "") -> list[Row]:
        begins = "gt" if after > prefix else "ge"
        query = f"PartitionKey eq @partition and RowKey {begins} @first and RowKey lt @end"
        parameters = {"partition": partition, "first": max(prefix, after), "end": prefix + PAST_ALL_KEYS}
        page = None if limit is None else min(limit, LARGEST_PAGE)
        found: list[Row] = []
        with storage_failures(), suppress(ResourceNotFoundError):
            async for entity in self._table.query_entities(query, parameters=parameters, results_per_page=page):
                found.append(_row(entity))
                if len(found) == limit:
                    break
        return found

    async def read_rows(self, partition: str, keys: Collection[str]) -> list[Row]:
        turn = asyncio.Semaphore(READS_AT_ONCE)

        async def read(key: str) -> Row | None:
            async with turn:
                with suppress(ResourceNotFoundError):
                    return _row(await self._table.get_entity(partition, key))
            return None

        with storage_failures():
            found = await asyncio.gather(*(read(key) for key in keys))
        return [row for row in found if row]

    async def put_row(self, partition: str, row: Row) -> None:
        with storage_failures():
            await self._table.upsert_entity(_entity(partition, row), UpdateMode.REPLACE)

    async def put_rows(self, partition: str, guard: Row, rows: Sequence[Row]) -> Row:
        replacing = {"mode": UpdateMode.REPLACE}
        unchanged = {"etag": guard.version, "match_condition": MatchConditions.IfNotModified}
        first: Any = ("update", _entity(partition, guard), {**replacing, **unchanged})
        if guard.version is None:
            first = ("create", _entity(partition, guard))
        with storage_failures():
            written = await self._table.submit_transaction(
                [first, *(("upsert", _entity(partition, row), replacing) for row in rows)]
            )
        return Row(guard.key, guard.content, written[0]["etag"])

    async def remove_row(self, partition: str, key: str) -> None:
        with storage_failures(), suppress(ResourceNotFoundError):
            await self._table.delete_entity(partition, key)

    async def read_file(self, name: str) -> StoredFile | None:
        with storage_failures(), suppress(ResourceNotFoundError):
            download = await self._container.download_blob(name)
            return StoredFile(await download.readall(), str(download.properties.etag))
        return None

    async def create_file(self, name: str, content: bytes) -> None:
        with storage_failures():
            await self._container.upload_blob(name, content, max_concurrency=UPLOADS_AT_ONCE)

    async def swap_file(self, name: str, content: bytes, version: str, lease: str) -> str:
        blob, lease_client = self._container.get_blob_client(name), self._lease(name, lease)
        with storage_failures():
            written = await blob.upload_blob(
                content, overwrite=True, etag=version, match_condition=MatchConditions.IfNotModified, lease=lease_client
            )
        return str(written["etag"])

    async def list_files(self, prefix: str) -> list[FileEntry]:
        with storage_failures(), suppress(ResourceNotFoundError):
            return [FileEntry(blob.name, blob.last_modified) async for blob in self._container.list_blobs(prefix)]
        return []

    async def remove_file(self, name: str) -> None:
        with storage_failures(), suppress(ResourceNotFoundError):
            await self._container.delete_blob(name)

    async def acquire(self, name: str, seconds: int) -> str | None:
        lease = self._lease(name)
        with storage_failures(), suppress(ResourceExistsError):
            await lease.acquire(seconds)
            return lease.id
        return None

    async def renew(self, name: str, lease: str) -> None:
        with storage_failures():
            await self._lease(name, lease).renew()

    async def release(self, name: str, lease: str) -> None:
        with storage_failures(), suppress(ResourceExistsError):
            await self._lease(name, lease).release()

    def _lease(self, name: str, lease: str | None = None) -> BlobLeaseClient:
        return BlobLeaseClient(self._container.get_blob_client(name), lease)


def storage_transport() -> HttpTransport:
    return HttpTransport(read_timeout=60)


def _blob_options(retries: int) -> dict[str, Any]:
    return {"retry_policy": blob_retries(retries), "transport": storage_transport(), **PIECES}


def blob_retries(retries: int) -> LinearRetry:
    # The SDK's default, 15 seconds before the first retry, is too long for a request.
    return LinearRetry(backoff=1, random_jitter_range=1, retry_total=retries)


def _entity(partition: str, row: Row) -> dict[str, str | bytes]:
    starts = range(0, len(row.content), PIECE)
    pieces = {f"d{number:02}": row.content[start : start + PIECE] for number, start in enumerate(starts)}
    return {"PartitionKey": partition, "RowKey": row.key, **pieces}


def _row(entity: Any) -> Row:
    pieces = sorted(name for name in entity if name.startswith("d"))
    return Row(entity["RowKey"], b"".join(entity[name] for name in pieces), entity.metadata["etag"])


@contextmanager
def storage_failures() -> Iterator[None]:
    try:
        yield
    except HttpResponseError as error:
        code = getattr(error, "error_code", None) or error.reason
        kind = ConflictError if error.status_code in {409, 412} else StorageError
        raise kind(f"The storage answered {error.status_code} ({code}).") from error
    except AzureError as error:
        raise StorageError(f"Cannot reach the storage ({type(error).__name__}).") from error
