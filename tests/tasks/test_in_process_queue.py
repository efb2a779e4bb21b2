"""The queue of a laptop brings what it was given, again where that failed."""

from __future__ import annotations

import asyncio

from clients.queues import QueueError
from tasks.in_process_queue import QueueHere


async def test_what_could_not_be_brought_to_a_worker_of_a_laptop_is_brought_again() -> None:
    brought: list[str] = []

    async def do(text: str) -> None:
        brought.append(text)
        if len(brought) == 1:
            raise QueueError("The storage is away.")

    queue = QueueHere(lambda: do, seconds_before_it_comes_back=0.0)
    await queue.send("bread")
    while await queue.waiting():
        await queue.settled()
    assert brought == ["bread", "bread"]


async def test_a_queue_that_is_closed_brings_nothing_any_more() -> None:
    brought: list[str] = []

    async def do(text: str) -> None:
        brought.append(text)

    queue = QueueHere(lambda: do)
    await queue.send("bread", 3600.0)
    await queue.close()
    assert (await queue.waiting(), brought) == (0, [])


async def test_a_wait_for_messages_lets_those_end_that_have_done_their_work() -> None:
    brought = asyncio.Event()

    async def do(text: str) -> None:
        brought.set()

    queue = QueueHere(lambda: do)
    await queue.send("bread")
    await brought.wait()
    await queue.settled()
    assert await queue.waiting() == 0
