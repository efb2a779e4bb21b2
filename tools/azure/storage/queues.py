"""Shows queues of storage accounts. Messages are peeked, not removed."""

from __future__ import annotations

from typing import Annotated, Final

from clients.azure.storage import queues
from clients.azure.storage.decoding import message_text
from clients.azure.storage.xml import Element
from clients.azure.withholding import withheld
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from tools.azure.access import Arm
from tools.azure.shared.answers import Json, present
from tools.azure.shared.parameters import Subscription
from tools.azure.storage.storage_parameters import (
    OF_ACCOUNT,
    AccountName,
    MostListed,
    Next,
    Prefix,
    data_of,
    moment,
    some,
)

part = Part()

_LONGEST_TEXT: Final = 2000

QueueName = Annotated[str, Field(pattern=r"^[a-z0-9](-?[a-z0-9]){2,62}$", description="Its name")]


@part.tool(Access.READ, harmless=OF_ACCOUNT)
async def list_storage_queues(
    azure: Arm,
    account: AccountName,
    prefix: Prefix = None,
    subscription: Subscription = None,
    max_results: MostListed = 100,
    next: Next = None,
) -> Json:
    """List the queues of a storage account."""
    data = await data_of(azure, account, subscription, "queue")
    found = await queues.queues(data, prefix, max_results, next)
    return some([entry.findtext("Name") for entry in found.entries], found.following)


@part.tool(Access.READ, harmless=(*OF_ACCOUNT, "queue"))
async def peek_storage_queue(
    azure: Arm,
    account: AccountName,
    queue: QueueName,
    max_results: Annotated[int, Field(ge=1, le=32, description="Maximum messages")] = 5,
    subscription: Subscription = None,
) -> Json:
    """Count a queue's messages, and peek at the first messages without removing them."""
    data = await data_of(azure, account, subscription, "queue")
    waiting = await queues.waiting(data, queue)
    messages = [_message(entry) for entry in await queues.peeked(data, queue, max_results)]
    return {**some(messages, ""), "waiting_about": waiting}


def _message(entry: Element) -> Json:
    text, was_base64 = message_text(entry.findtext("MessageText") or "")
    times = int(entry.findtext("DequeueCount") or 0)
    return present(
        {
            "id": entry.findtext("MessageId"),
            "inserted": moment(entry.findtext("InsertionTime")),
            "expires": moment(entry.findtext("ExpirationTime")),
            "dequeued": times or None,
            "base64": was_base64 or None,
            "text": withheld(text)[:_LONGEST_TEXT],
            "cut": f"of {len(text)} characters" if len(text) > _LONGEST_TEXT else None,
        }
    )
