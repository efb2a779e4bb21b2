"""Polls the queues of a storage account or Azurite, and runs a function for each message."""

from __future__ import annotations

import asyncio
import logging
import os
from base64 import b64decode
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, Self

from azure.core.exceptions import AzureError, HttpResponseError, ResourceExistsError, ResourceNotFoundError
from azure.storage.queue import QueueMessage
from azure.storage.queue.aio import QueueClient

from clients.transport import HttpTransport
from local_host.cannot_start import CannotStartError
from local_host.queue_settings import QueueSettings
from local_host.queues import Invoke, QueueTrigger

logger = logging.getLogger("local_host")

_SHORTEST_PAUSE: Final = 0.1
_SET_ASIDE: Final = "-poison"
_NOT_A_CONNECTION: Final = (
    "{setting} is not a connection string for a storage account. Use `UseDevelopmentStorage=true` for Azurite; without"
    " a connection string, the queue's function does not run on this host."
)
# The errors that occur if a function takes too long: its message becomes visible again, and another host receives or
# completes the message.
_OF_SOMEBODY_ELSE: Final = {"MessageNotFound", "PopReceiptMismatch", "QueueNotFound"}


class Polling:
    """Polls a queue and runs the function for each message. The number of concurrent runs is limited."""

    def __init__(self, trigger: QueueTrigger, queue: QueueClient, aside: QueueClient) -> None:
        self._trigger, self._settings = trigger, trigger.settings
        self._queue, self._aside = queue, aside
        self._running: set[asyncio.Task[None]] = set()
        self._is_away = False

    @classmethod
    def of(cls, trigger: QueueTrigger) -> Self:
        """Create the poller.

        Raises:
            CannotStartError: The connection string is invalid.
        """
        queue, aside = (_client(trigger.connection, name) for name in (trigger.queue, f"{trigger.queue}{_SET_ASIDE}"))
        return cls(trigger, queue, aside)

    async def listen(self) -> None:
        """Run the function for every message, forever."""
        pause = _SHORTEST_PAUSE
        while True:
            found = await self._receive()
            for message in found:
                self._begin(Handling(self._settings, self._trigger.invoke, self._queue, self._aside, message))
            pause = _SHORTEST_PAUSE if found else min(2 * pause, self._settings.longest_pause)
            await self._rest(pause)

    async def settle(self) -> None:
        """Wait until all running functions have ended."""
        try:
            await asyncio.gather(*self._running, return_exceptions=True)
        finally:
            await self._queue.close()
            await self._aside.close()

    async def _receive(self) -> list[QueueMessage]:
        most, unseen = self._settings.batch, round(self._settings.seconds_unseen)
        pages = self._queue.receive_messages(messages_per_page=most, max_messages=most, visibility_timeout=unseen)
        try:
            found = [message async for message in pages]
        except ResourceNotFoundError:  # the queue does not exist yet; its first sender creates it
            found = []
        except AzureError as error:
            self._note_absence(error)
            return []
        self._is_away = False
        return found

    def _note_absence(self, error: AzureError) -> None:
        """Log that the queue does not respond. This is logged only once until the queue responds again."""
        if not self._is_away:
            logger.warning("The queue %s does not respond: %s", self._trigger.queue, _first_line(error))
        self._is_away = True

    def _begin(self, handling: Handling) -> None:
        task = asyncio.create_task(handling.run())
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def _rest(self, seconds: float) -> None:
        """Wait for some seconds, and then until there is capacity to fetch more messages."""
        await asyncio.sleep(seconds)
        while len(self._running) > self._settings.threshold:
            await asyncio.wait(self._running, return_when=asyncio.FIRST_COMPLETED)


@dataclass
class Handling:
    """Runs the function for a message. The message stays invisible to other hosts until the function ends."""

    settings: QueueSettings
    invoke: Invoke
    queue: QueueClient
    aside: QueueClient
    message: QueueMessage

    async def run(self) -> None:
        try:
            await self._handle()
        except AzureError as error:
            if _is_of_somebody_else(error):
                logger.info("Another host received a message from queue %s in the meantime", self.queue.queue_name)
            else:
                logger.warning(
                    "A message from queue %s will be retried later: %s", self.queue.queue_name, _first_line(error)
                )

    async def _handle(self) -> None:
        if self._tries > self.settings.most_tries:
            # The host was killed during each attempt. If attempts had failed instead, the message would already be in
            # the poison queue.
            await self._move_to_poison_queue("was retried too often")
            return
        try:
            text = self._text()
        except ValueError:
            await self._move_to_poison_queue("is not base64, which host.json requires")
        else:
            await self._process(text)

    async def _process(self, text: str) -> None:
        if await self._invoke(text):
            await self._delete()
        elif self._tries < self.settings.most_tries:
            await self._unseen_for(self.settings.seconds_after_failure)
        else:
            await self._move_to_poison_queue("failed permanently")

    async def _invoke(self, text: str) -> bool:
        has_ended = asyncio.Event()
        hold = asyncio.create_task(self._hold_until(has_ended))
        try:
            return await self.invoke(text, self._metadata())
        finally:
            # Do not cancel a running renewal, because the message can be deleted only with the receipt from this
            # renewal.
            has_ended.set()
            await hold

    async def _hold_until(self, has_ended: asyncio.Event) -> None:
        while not await _is_set_within(has_ended, self.settings.seconds_unseen / 2):
            try:
                await self._unseen_for(self.settings.seconds_unseen)
            except AzureError as error:
                logger.warning(
                    "The claim on a message from queue %s cannot be renewed: %s",
                    self.queue.queue_name,
                    _first_line(error),
                )

    async def _move_to_poison_queue(self, why: str) -> None:
        name = str(self.queue.queue_name)
        if name.endswith(_SET_ASIDE):
            # As on the platform, a message that fails in a poison queue stays there and becomes visible again later.
            return
        with suppress(ResourceExistsError):
            await self.aside.create_queue()
        await self.aside.send_message(self.message.content, time_to_live=-1)
        logger.error("A message from queue %s %s and was moved to queue %s", name, why, self.aside.queue_name)
        await self._delete()

    async def _delete(self) -> None:
        await self.queue.delete_message(self.message.id, self.message.pop_receipt)

    async def _unseen_for(self, seconds: float) -> None:
        self.message = await self.queue.update_message(self.message, visibility_timeout=round(seconds))

    @property
    def _tries(self) -> int:
        return self.message.dequeue_count or 0

    def _text(self) -> str:
        content = str(self.message.content)
        return b64decode(content, validate=True).decode() if self.settings.is_encoded else content

    def _metadata(self) -> dict[str, str]:
        message = self.message
        times = {
            "InsertionTime": message.inserted_on,
            "ExpirationTime": message.expires_on,
            "NextVisibleTime": message.next_visible_on,
        }
        return {
            "Id": message.id,
            "PopReceipt": message.pop_receipt or "",
            "DequeueCount": str(self._tries),
            **{name: moment.isoformat() for name, moment in times.items() if moment},
        }


def _client(connection: str, queue: str) -> QueueClient:
    # At the default level, the SDK would log every poll.
    logging.getLogger("azure.core.pipeline.policies.http_logging_policy").setLevel(logging.WARNING)
    try:
        return QueueClient.from_connection_string(
            os.environ[connection], queue, retry_total=0, transport=HttpTransport()
        )
    except ValueError:
        raise CannotStartError(_NOT_A_CONNECTION.format(setting=connection)) from None


async def _is_set_within(event: asyncio.Event, seconds: float) -> bool:
    with suppress(TimeoutError):
        await asyncio.wait_for(event.wait(), seconds)
    return event.is_set()


def _is_of_somebody_else(error: AzureError) -> bool:
    return isinstance(error, HttpResponseError) and getattr(error, "error_code", None) in _OF_SOMEBODY_ELSE


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
