"""Reads queues of Azure Storage, and peeks at their messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from clients.azure.messages import AzureRequest
from clients.azure.storage.data import XML, Data
from clients.azure.storage.listing import StorageListing, listed
from clients.azure.storage.xml import Element

_COUNT: Final = "x-ms-approximate-messages-count"


async def queues(data: Data, prefix: str | None, limit: int, marker: str | None) -> StorageListing:
    return await listed(data, AzureRequest("GET /", query={"comp": "list", "prefix": prefix}), limit, marker)


async def waiting(data: Data, queue: str) -> int:
    """The approximate number of messages in a queue. The number may be too high, but never too low."""
    answer = await data.send(AzureRequest("GET /{queue}", {"queue": queue}, {"comp": "metadata"}, accept=XML))
    text = answer.headers.get(_COUNT, "")
    return int(text) if text.isdecimal() else 0


async def peeked(data: Data, queue: str, most: int) -> Sequence[Element]:
    """Peek at the next messages. The messages stay in the queue."""
    query = {"peekonly": True, "numofmessages": most}
    return list(await data.element(AzureRequest("GET /{queue}/messages", {"queue": queue}, query)))
