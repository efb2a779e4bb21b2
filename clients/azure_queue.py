"""A queue in an Azure storage account, or in Azurite."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final, Self

from azure.core.credentials_async import AsyncTokenCredential
from azure.core.exceptions import AzureError, HttpResponseError, ResourceExistsError, ResourceNotFoundError
from azure.storage.queue import TextBase64EncodePolicy
from azure.storage.queue.aio import QueueClient

from clients.queues import QueueError
from clients.transport import HttpTransport

# How long messages are kept. By default, Azure deletes messages after a week.
_FOR_EVER: Final = -1
# The message encoding that `host.json` sets for the Functions host.
_ENCODED: Final[dict[str, Any]] = {"message_encode_policy": TextBase64EncodePolicy()}
# The delays between retries. The SDK's default, 15 seconds before the first retry, is too long for a request.
_WAITS: Final[dict[str, Any]] = {"initial_backoff": 1, "increment_base": 1, "random_jitter_range": 1}


class AzureQueue:
    """A queue in a storage account. The queue is created when the first message is sent.

    Closing the queue also closes its credential.
    """

    def __init__(self, client: QueueClient, credential: AsyncTokenCredential | None = None) -> None:
        self._client = client
        self._credential = credential

    @classmethod
    def from_connection_string(cls, text: str, name: str) -> Self:
        return cls(QueueClient.from_connection_string(text, name, **_ENCODED, **_patience()))

    @classmethod
    def from_account(cls, url: str, credential: AsyncTokenCredential, name: str) -> Self:
        return cls(QueueClient(url, name, credential=credential, **_ENCODED, **_patience()), credential)

    async def prepare(self) -> None:
        with _failures(), suppress(ResourceExistsError):
            await self._client.create_queue()

    async def send(self, text: str, after_seconds: float = 0.0) -> None:
        with _failures():
            try:
                await self._send(text, after_seconds)
            except ResourceNotFoundError:
                await self.prepare()
                await self._send(text, after_seconds)

    async def waiting(self) -> int:
        with _failures():
            try:
                return (await self._client.get_queue_properties()).approximate_message_count or 0
            except ResourceNotFoundError:
                return 0

    async def close(self) -> None:
        await self._client.close()
        if self._credential:
            await self._credential.close()

    async def _send(self, text: str, after_seconds: float) -> None:
        await self._client.send_message(text, visibility_timeout=round(after_seconds), time_to_live=_FOR_EVER)


def _patience() -> dict[str, Any]:
    return {"retry_total": 2, "transport": HttpTransport(connection_timeout=5, read_timeout=20), **_WAITS}


@contextmanager
def _failures() -> Iterator[None]:
    try:
        yield
    except HttpResponseError as error:
        code = getattr(error, "error_code", None) or error.reason
        raise QueueError(f"The queue answered {error.status_code} ({code}).") from error
    except AzureError as error:
        raise QueueError(f"Cannot reach the queue ({type(error).__name__}).") from error
