"""What is sent to a queue of Azure comes out of it as the Functions host reads it, or is told not to have been sent."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import AsyncIterator
from uuid import uuid4

import pytest
from azure.storage.queue.aio import QueueClient

from app.storage import queue_for
from clients.azure_queue import AzureQueue
from clients.queues import QueueError
from settings import StorageSettings
from tests.fakes.azurite import connection_string_of_azurite

pytestmark = pytest.mark.anyio

# A message has 64 KiB, of which base64 takes a quarter.
MOST = 48 * 1024


@pytest.fixture
def name() -> str:
    return f"q{uuid4().hex}"


@pytest.fixture
async def queue(name: str) -> AsyncIterator[AzureQueue]:
    opened = AzureQueue.from_connection_string(connection_string_of_azurite(), name)
    yield opened
    await opened.close()


@pytest.fixture
async def others(name: str) -> AsyncIterator[QueueClient]:
    """The queue as whoever reads it sees it."""
    async with QueueClient.from_connection_string(connection_string_of_azurite(), name) as client:
        yield client


async def texts(client: QueueClient) -> list[str]:
    return [b64decode(message.content).decode() async for message in client.receive_messages()]


@pytest.mark.parametrize("text", ["{}", "ä 中 <&>", "x" * MOST])
async def test_a_text_arrives_as_it_was_in_the_encoding_of_the_host(
    queue: AzureQueue, others: QueueClient, text: str
) -> None:
    await queue.prepare()
    await queue.send(text)
    assert await texts(others) == [text]


async def test_a_queue_that_is_not_there_is_made_by_the_first_message(queue: AzureQueue, others: QueueClient) -> None:
    assert await queue.waiting() == 0
    await queue.send("first")
    assert await texts(others) == ["first"]


async def test_preparing_twice_loses_nothing(queue: AzureQueue) -> None:
    await queue.prepare()
    await queue.send("kept")
    await queue.prepare()
    assert await queue.waiting() == 1


async def test_what_is_sent_for_later_is_there_and_not_seen_yet(queue: AzureQueue, others: QueueClient) -> None:
    await queue.send("later", 6 * 86400.0)
    await queue.send("now")
    assert await queue.waiting() == 2
    assert await texts(others) == ["now"]


async def test_a_message_waits_for_ever(queue: AzureQueue, others: QueueClient) -> None:
    await queue.send("patient")
    (message,) = [message async for message in others.receive_messages()]
    assert message.expires_on is not None
    assert message.expires_on.year == 9999


async def test_what_is_too_large_is_refused_with_a_reason_and_nothing_of_it_is_there(queue: AzureQueue) -> None:
    await queue.prepare()
    with pytest.raises(QueueError, match="413"):
        await queue.send("x" * (MOST + 1))
    assert await queue.waiting() == 0


async def test_more_than_azure_lets_a_message_wait_is_refused(queue: AzureQueue) -> None:
    await queue.prepare()
    with pytest.raises(QueueError, match="400"):
        await queue.send("next month", 30 * 86400.0)


async def test_storage_that_is_away_is_told_without_its_address(name: str) -> None:
    away = f"{connection_string_of_azurite().partition('QueueEndpoint=')[0]}QueueEndpoint=http://127.0.0.1:9/account;"
    queue = AzureQueue.from_connection_string(away, name)
    with pytest.raises(QueueError) as told:
        await queue.send("lost")
    await queue.close()
    assert str(told.value) == "Cannot reach the queue (ServiceRequestError)."


async def test_an_app_sends_to_the_account_that_it_keeps_things_in_and_without_one_to_none(name: str) -> None:
    assert queue_for(name, StorageSettings()) is None
    assert queue_for(name, StorageSettings(folder="here", connection=connection_string_of_azurite())) is None
    queue = queue_for(name, StorageSettings(connection=connection_string_of_azurite()))
    assert queue is not None
    await queue.send("kept")
    assert await queue.waiting() == 1
    await queue.close()
