"""Queue triggers: polling a queue of a storage account, or of Azurite, and running a function for each message."""

from __future__ import annotations

import asyncio
import logging
import os
from base64 import b64decode
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Self

from azure.core.exceptions import AzureError, ResourceExistsError, ResourceNotFoundError

from local_host.cannot_start import CannotStartError
from local_host.timers import expanded, time_span

if TYPE_CHECKING:
    from azure.storage.queue import QueueMessage
    from azure.storage.queue.aio import QueueClient

logger = logging.getLogger("local_host")

# As the platform does: so long is a message of a host that was killed not seen by others.
SECONDS_UNSEEN: Final = 600.0
# Another time for that, in seconds, so that kills can be tried.
SETTING: Final = "LOCAL_HOST_QUEUE_SECONDS_UNSEEN"
_SHORTEST_PAUSE: Final = 0.1
_LARGEST_BATCH: Final = 32
_OF_THE_EMULATOR: Final = (
    "DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6"
    "IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==;QueueEndpoint=http://127.0.0.1:10001/devstoreaccount1;"
)

# Runs the function for a text, with what is told of the message; tells whether it succeeded.
Invoke = Callable[[str, Mapping[str, str]], Awaitable[bool]]


@dataclass(frozen=True, slots=True)
class QueueSettings:
    """What host.json says of queues, with the defaults of the platform."""

    batch: int
    threshold: int
    longest_pause: float
    seconds_after_failure: float
    most_tries: int
    is_encoded: bool
    seconds_unseen: float

    @classmethod
    def of(cls, queues: Mapping[str, Any]) -> Self:
        batch = int(queues.get("batchSize", 16))
        if not 1 <= batch <= _LARGEST_BATCH:
            raise CannotStartError(f"batchSize of queues in host.json has to be from 1 to {_LARGEST_BATCH}.")
        return cls(
            batch,
            int(queues.get("newBatchThreshold", batch // 2)),
            _seconds(queues.get("maxPollingInterval", "00:01:00")),
            _seconds(queues.get("visibilityTimeout", "00:00:00")),
            int(queues.get("maxDequeueCount", 5)),
            str(queues.get("messageEncoding", "base64")).lower() == "base64",
            float(os.environ.get(SETTING) or SECONDS_UNSEEN),
        )


def _seconds(span: object) -> float:
    found = time_span(str(span))
    if found is not None:
        return found.total_seconds()
    raise CannotStartError(f"{span!r} in host.json is no time span, such as '00:01:00'.")


class QueueTrigger:
    """A function that is run for each message of a queue."""

    def __init__(self, name: str, trigger: Mapping[str, Any], invoke: Invoke, settings: QueueSettings) -> None:
        self.name = name
        self.queue = expanded(str(trigger["queueName"]))
        self.connection = str(trigger.get("connection") or "AzureWebJobsStorage")
        self._invoke = invoke
        self._settings = settings
        self._running: set[asyncio.Task[None]] = set()

    @property
    def is_connected(self) -> bool:
        """Whether there is a storage account: an app that keeps things in a folder has none."""
        return bool(os.environ.get(self.connection))

    async def listen(self) -> None:
        """Run the function for every message, for ever."""
        async with _client(self.connection, self.queue) as queue, _client(self.connection, self._aside) as aside:
            pause, is_away = _SHORTEST_PAUSE, False
            while True:
                try:
                    found = await self._received(queue)
                    is_away = False
                except AzureError as error:
                    if not is_away:
                        logger.warning("The queue %s does not answer: %s", self.queue, _first_line(error))
                    found, is_away = [], True
                for message in found:
                    self._begin(Handling(self._settings, self._invoke, queue, aside, message))
                pause = _SHORTEST_PAUSE if found else min(2 * pause, self._settings.longest_pause)
                await self._rest(pause)

    async def settle(self) -> None:
        """Wait for what is under way."""
        await asyncio.gather(*self._running, return_exceptions=True)

    @property
    def _aside(self) -> str:
        return f"{self.queue}-poison"

    async def _received(self, queue: QueueClient) -> list[QueueMessage]:
        most, unseen = self._settings.batch, round(self._settings.seconds_unseen)
        found = queue.receive_messages(messages_per_page=most, max_messages=most, visibility_timeout=unseen)
        try:
            return [message async for message in found]
        except ResourceNotFoundError:  # whoever sends the first message makes it
            return []

    def _begin(self, handling: Handling) -> None:
        task = asyncio.create_task(handling.run())
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def _rest(self, seconds: float) -> None:
        """Wait a while, and until no more are under way than may be when others are fetched."""
        await asyncio.sleep(seconds)
        while len(self._running) > self._settings.threshold:
            await asyncio.wait(self._running, return_when=asyncio.FIRST_COMPLETED)


@dataclass
class Handling:
    """One message, which nobody else sees while the function runs for it."""

    settings: QueueSettings
    invoke: Invoke
    queue: QueueClient
    aside: QueueClient
    message: QueueMessage

    async def run(self) -> None:
        try:
            succeeded = await self._invoked()
            await (self._done() if succeeded else self._failed())
        except ResourceNotFoundError:
            logger.warning("A message of %s came back to somebody else meanwhile", self.queue.queue_name)
        except AzureError as error:
            logger.warning("A message of %s comes back later: %s", self.queue.queue_name, _first_line(error))

    async def _invoked(self) -> bool:
        try:
            text = self._text()
        except ValueError:
            logger.warning("A message of %s is not in base64, as host.json says", self.queue.queue_name)
            return False
        holding = asyncio.create_task(self._hold())
        try:
            return await self.invoke(text, self._told())
        finally:
            holding.cancel()
            with suppress(asyncio.CancelledError):
                await holding

    async def _hold(self) -> None:
        while True:
            await asyncio.sleep(self.settings.seconds_unseen / 2)
            with suppress(AzureError):
                await self._unseen_for(self.settings.seconds_unseen)

    async def _done(self) -> None:
        await self.queue.delete_message(self.message.id, self.message.pop_receipt)

    async def _failed(self) -> None:
        if (self.message.dequeue_count or 0) < self.settings.most_tries:
            await self._unseen_for(self.settings.seconds_after_failure)
            return
        logger.error("A message of %s failed for good, and was put into %s-poison", *[self.queue.queue_name] * 2)
        with suppress(ResourceExistsError):
            await self.aside.create_queue()
        await self.aside.send_message(self.message.content, time_to_live=-1)
        await self._done()

    async def _unseen_for(self, seconds: float) -> None:
        self.message = await self.queue.update_message(self.message, visibility_timeout=round(seconds))

    def _text(self) -> str:
        content = str(self.message.content)
        return b64decode(content, validate=True).decode() if self.settings.is_encoded else content

    def _told(self) -> dict[str, str]:
        message = self.message
        times = {
            "InsertionTime": message.inserted_on,
            "ExpirationTime": message.expires_on,
            "NextVisibleTime": message.next_visible_on,
        }
        return {
            "Id": message.id,
            "PopReceipt": message.pop_receipt or "",
            "DequeueCount": str(message.dequeue_count),
            **{name: moment.isoformat() for name, moment in times.items() if moment},
        }


@asynccontextmanager
async def _client(connection: str, name: str) -> AsyncIterator[QueueClient]:
    from azure.storage.queue.aio import QueueClient  # noqa: PLC0415 - only where there is a queue

    # It would tell of every time that nothing was there.
    logging.getLogger("azure.core.pipeline.policies.http_logging_policy").setLevel(logging.WARNING)
    text = os.environ[connection]
    text = _OF_THE_EMULATOR if text.strip().lower().startswith("usedevelopmentstorage=true") else text
    try:
        client = QueueClient.from_connection_string(text, name, retry_total=0)
    except ValueError:
        raise CannotStartError(f"{connection} is no connection string of a storage account.") from None
    async with client:
        yield client


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
