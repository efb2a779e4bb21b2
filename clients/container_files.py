"""Files in a container of an Azure storage account, or of Azurite."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Self

from azure.core import MatchConditions
from azure.core.credentials_async import AsyncTokenCredential
from azure.core.exceptions import ResourceExistsError, ResourceNotFoundError
from azure.storage.blob import ContentSettings
from azure.storage.blob.aio import BlobServiceClient

from clients.azure_storage import RETRIES, blob_retries, storage_failures, storage_transport
from clients.files import File, FilesPage


class ContainerFiles:
    """Reads and writes files in a container. Closing this object also closes its credential."""

    def __init__(
        self, service: BlobServiceClient, container: str, credential: AsyncTokenCredential | None = None
    ) -> None:
        self._service = service
        self._credential = credential
        self._container = service.get_container_client(container)

    @classmethod
    def from_connection_string(cls, text: str, container: str) -> Self:
        return cls(BlobServiceClient.from_connection_string(text, **_patience()), container)

    @classmethod
    def from_account(cls, url: str, credential: AsyncTokenCredential, container: str) -> Self:
        return cls(BlobServiceClient(url, credential=credential, **_patience()), container, credential)

    async def page(self, prefix: str, after: str, most: int) -> FilesPage:
        listed = self._container.list_blobs(prefix, results_per_page=most)
        pages: Any = listed.by_page(after or None)
        with storage_failures(), suppress(ResourceNotFoundError, StopAsyncIteration):
            found = [_file(blob.name, blob) async for blob in await anext(pages)]
            return FilesPage(found, pages.continuation_token or "")
        return FilesPage([])

    async def look(self, path: str) -> File | None:
        with storage_failures(), suppress(ResourceNotFoundError):
            return _file(path, await self._container.get_blob_client(path).get_blob_properties())
        return None

    async def read(self, path: str, start: int, most: int) -> tuple[File, bytes] | None:
        found = await self.look(path)
        if found is None or start >= found.size:
            return None if found is None else (found, b"")
        with storage_failures(), suppress(ResourceNotFoundError):
            download = await self._container.download_blob(path, offset=start, length=most, **_only(found.version))
            return found, await download.readall()
        return None

    async def write(self, path: str, content: bytes, media_type: str, version: str) -> File:
        with storage_failures():
            try:
                await self._upload(path, content, media_type, version)
            except ResourceNotFoundError:
                if version:
                    raise
                # The first write creates the container if it does not exist.
                with suppress(ResourceExistsError):
                    await self._container.create_container()
                await self._upload(path, content, media_type, version)
            return _file(path, await self._container.get_blob_client(path).get_blob_properties())

    async def _upload(self, path: str, content: bytes, media_type: str, version: str) -> None:
        settings = ContentSettings(content_type=media_type)
        over = {"overwrite": True, **_only(version)} if version else {"overwrite": False}
        await self._container.upload_blob(path, content, content_settings=settings, **over)

    async def delete(self, path: str, version: str) -> bool:
        with storage_failures(), suppress(ResourceNotFoundError):
            await self._container.delete_blob(path, **_only(version))
            return True
        return False

    async def close(self) -> None:
        await self._service.close()
        if self._credential:
            await self._credential.close()


def _patience() -> dict[str, Any]:
    """The retry settings of the SDK.

    By default, the SDK retries for more than a minute, which is too long for a request.
    """
    return {"retry_policy": blob_retries(RETRIES), "transport": storage_transport()}


def _only(version: str) -> dict[str, Any]:
    return {"etag": f'"{version}"', "match_condition": MatchConditions.IfNotModified}


def _file(path: str, blob: Any) -> File:
    media_type = blob.content_settings.content_type or ""
    return File(path, blob.size, str(blob.etag).strip('"'), blob.last_modified, media_type)
