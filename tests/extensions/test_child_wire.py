"""Messages to a process and back, and when the process is started and stopped. The process itself is a fake."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from extensions.upstream.child import ChildReply, ChildWire
from extensions.upstream.failures import ServerUnreachableError, SessionEndedError
from extensions.upstream.process import Command, RunningProcess
from extensions.upstream.wire import MOST_MESSAGES, SESSION
from tests.fakes.extensions.peer import Json


@dataclass
class FakeProcess:
    """A process that answers nothing by itself."""

    receive: Callable[[Json], None]
    ended: Callable[[], None]
    may_stop: asyncio.Event
    written: list[Json] = field(default_factory=list)
    is_stopped: bool = False
    errors: str = ""

    async def write(self, message: Mapping[str, Any]) -> None:
        self.written.append(dict(message))

    async def stop(self) -> None:
        await self.may_stop.wait()
        self.is_stopped = True

    def answer(self, request: object) -> None:
        self.receive({"jsonrpc": "2.0", "id": request, "result": {}})


class Stage:
    """A wire whose processes are fakes. The last entry of `processes` is the running one."""

    def __init__(self, idle: float) -> None:
        self.wire = ChildWire("The child", Command(words=("props",), environment={}), 1_000_000, idle)
        self.wire.clock = lambda: self.now
        self.now = 100.0
        self.processes: list[FakeProcess] = []
        self.may_stop = asyncio.Event()
        self.may_stop.set()

    async def start(
        self, _who: str, _command: Command, _largest: int, receive: Callable[[Json], None], ended: Callable[[], None]
    ) -> FakeProcess:
        self.processes.append(FakeProcess(receive, ended, self.may_stop))
        return self.processes[-1]

    async def sent(self, request: object = "1", **headers: str) -> list[Json]:
        """Send a request, and return all messages until the process answers or ends."""
        heard: list[Json] = []
        async with self.wire.sent({"id": request, "method": "tools/call"}, headers) as reply:
            async for message in reply.messages():
                heard.append(message)
                if "result" in message:
                    break
        return heard

    async def answered(self, request: object = "1") -> list[Json]:
        sending = asyncio.create_task(self.sent(request))
        await turns()
        self.processes[-1].answer(request)
        return await sending


async def turns(count: int = 10) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


@pytest.fixture
def staged(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], Stage]:
    def made(idle: float = 300.0) -> Stage:
        stage = Stage(idle)
        monkeypatch.setattr(RunningProcess, "start", stage.start)
        return stage

    return made


@pytest.fixture
def stage(staged: Callable[..., Stage]) -> Stage:
    return staged()


async def test_each_message_reaches_the_request_that_it_belongs_to(stage: Stage) -> None:
    sending = [asyncio.create_task(stage.sent(name)) for name in ("one", "two")]
    await turns()
    (process,) = stage.processes
    progress = [{"method": "notifications/progress", "params": {"progressToken": name}} for name in ("two", "nobody")]
    stray: list[Json] = [{"method": "notifications/message"}, {"method": "notifications/message", "params": [1]}]
    question: Json = {"id": "q", "method": "elicitation/create", "params": {"progressToken": "two"}}
    for message in (*progress, *stray, question, {"id": "nobody", "result": {}}, {"id": ["one"], "result": {}}):
        process.receive(message)
    for name in ("one", "two"):
        process.answer(name)
    first, second = await asyncio.gather(*sending)
    assert first == [question, {"jsonrpc": "2.0", "id": "one", "result": {}}]
    assert second == [progress[0], {"jsonrpc": "2.0", "id": "two", "result": {}}]
    assert [message["method"] for message in process.written] == ["tools/call"] * 2
    process.receive(question)
    await stage.wire.close()


async def test_a_request_is_cancelled_only_if_its_caller_leaves_before_the_answer(stage: Stage) -> None:
    await stage.answered("answered")
    leaving = asyncio.create_task(stage.sent("left"))
    await turns()
    leaving.cancel()
    await asyncio.wait([leaving])
    await stage.wire.close()
    _, _, cancelled = stage.processes[0].written
    assert (cancelled["method"], cancelled["params"]["requestId"]) == ("notifications/cancelled", "left")


async def test_a_message_without_an_answer_is_only_written(stage: Stage) -> None:
    for message in ({"id": "q", "result": {}}, {"method": "notifications/initialized"}):
        async with stage.wire.sent(message, {}):
            pass
    await stage.wire.close()
    assert stage.processes[0].written == [{"id": "q", "result": {}}, {"method": "notifications/initialized"}]


async def test_a_session_ends_with_its_process(stage: Stage) -> None:
    async with stage.wire.sent({"method": "notifications/initialized"}, {}) as reply:
        session = reply.session
    sending = asyncio.create_task(stage.sent("1", **{SESSION: session}))
    await turns()
    stage.processes[0].ended()
    assert await sending == []
    assert stage.processes[0].is_stopped
    stage.now += 1
    for _ in ("before the next process starts", "while it runs"):
        with pytest.raises(SessionEndedError, match="The child was restarted"):
            await stage.sent("2", **{SESSION: session})
        await stage.answered()
    assert len(stage.processes) == 2
    stage.processes[0].ended()
    await stage.answered()
    assert len(stage.processes) == 2
    await stage.wire.close()
    with pytest.raises(ServerUnreachableError, match="The child has been stopped"):
        await stage.sent()


async def test_a_process_that_keeps_ending_is_restarted_after_longer_and_longer_pauses(stage: Stage) -> None:
    """After a minute without an end, the pauses start anew."""
    for pause in (0, 0, 1, 2, 4, 8, 16, 32, 60, 60):
        if pause:
            stage.now += pause - 0.5
            with pytest.raises(ServerUnreachableError, match=r"has ended\. Try again in 0 seconds"):
                await stage.sent()
            stage.now += 0.5
        await stage.answered()
        stage.processes[-1].ended()
    stage.now += 60.5
    await stage.answered()
    stage.processes[-1].ended()
    with pytest.raises(ServerUnreachableError, match=r"has ended\. Try again in 1 seconds"):
        await stage.sent()
    await stage.wire.close()


async def test_an_idle_process_is_stopped_and_restarted_at_once(staged: Callable[[float], Stage]) -> None:
    stage = staged(0)
    for count in range(1, 4):
        await stage.answered()
        await turns()
        assert len(stage.processes) == count
        assert stage.processes[-1].is_stopped
    await stage.wire.close()


async def test_a_process_is_not_idle_while_a_request_waits(staged: Callable[[float], Stage]) -> None:
    stage = staged(0)
    waiting = asyncio.create_task(stage.sent("waiting"))
    await stage.answered("answered")
    await turns()
    assert not stage.processes[0].is_stopped
    stage.processes[0].answer("waiting")
    assert len(await waiting) == 1
    await stage.wire.close()


async def test_closing_waits_until_an_idle_process_has_ended(staged: Callable[[float], Stage]) -> None:
    stage = staged(0)
    stage.may_stop.clear()
    await stage.answered()
    await turns()
    closing = asyncio.create_task(stage.wire.close())
    await turns()
    assert not closing.done()
    stage.may_stop.set()
    await closing
    assert stage.processes[0].is_stopped


async def test_closing_ends_the_wait_for_idleness(staged: Callable[[float], Stage]) -> None:
    stage = staged(0)
    await stage.answered()
    await stage.wire.close()
    assert stage.processes[0].is_stopped


async def test_a_caller_has_up_to_10_000_messages_waiting() -> None:
    reply = ChildReply("1")
    for number in range(MOST_MESSAGES + 1):
        reply.take({"number": number})
    heard = []
    async for message in reply.messages():
        heard.append(message["number"])
        if len(heard) == 1:
            reply.take(None)
    assert heard == list(range(MOST_MESSAGES))
