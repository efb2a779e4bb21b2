"""Exchanges messages with an extension that runs as a local process. Starts the process on demand, and stops it when it
is idle.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Final

from extensions.upstream.failures import ServerUnreachableError, SessionEndedError
from extensions.upstream.process import Command, Prepare, RunningProcess
from extensions.upstream.wire import MOST_MESSAGES, SESSION
from refusal import Refusal

SECONDS_OF_IDLENESS: Final = 300.0
_LONG_LIFE: Final = 60.0
_LONGEST_PAUSE: Final = 60.0


@dataclass
class ChildReply:
    """The stream of messages that the process sends for one request. The stream ends when the process ends."""

    session: str
    coming: asyncio.Queue[dict[str, Any] | None] = field(default_factory=lambda: asyncio.Queue(MOST_MESSAGES))
    is_answered: bool = False

    async def messages(self) -> AsyncIterator[dict[str, Any]]:
        while (message := await self.coming.get()) is not None:
            yield message

    def take(self, message: dict[str, Any] | None) -> None:
        """Queue a message. Messages that exceed the limit are dropped. After a dropped message, the call ends at the
        caller's time limit.
        """
        with suppress(asyncio.QueueFull):
            self.coming.put_nowait(message)


class ChildWire:
    """Exchanges messages with the process of an extension, one process at a time.

    Each process has its own session, so that requests never continue in another process.
    """

    # This class notifies the process if a caller stops waiting, so the caller does not need to send a notification.
    tells_when_left: Final = True

    def __init__(self, who: str, command: Command | Prepare, largest: int, idle: float = SECONDS_OF_IDLENESS) -> None:
        """Prepare a connection. If `command` is a function, it is called before each start of the process."""
        self.who = who
        self.clock: Callable[[], float] = time.monotonic
        self._command = command
        self._largest = largest
        self._idle = idle
        self._running: RunningProcess | None = None
        self._last: RunningProcess | None = None
        self._number = 0
        self._is_closed = False
        self._starting = asyncio.Lock()
        self._begun = 0.0
        self._pause = 0.0
        self._waiting: dict[object, ChildReply] = {}
        self._stopping: asyncio.TimerHandle | None = None
        self._leaving: set[asyncio.Task[None]] = set()

    @property
    def errors(self) -> str:
        return self._last.errors if self._last else ""

    @asynccontextmanager
    async def sent(self, message: Mapping[str, Any], headers: Mapping[str, str]) -> AsyncIterator[ChildReply]:
        """Send a message, and yield the reply. If the caller stops waiting for the reply, the request is cancelled.

        Raises:
            ServerUnreachableError: The process cannot be started, or has ended.
            SessionEndedError: The session belongs to an earlier process.
        """
        if SESSION in headers and headers[SESSION] != self._session:
            raise SessionEndedError(f"{self.who} was restarted.", 404)
        running = await self._there()
        reply = ChildReply(self._session)
        if "id" not in message or "method" not in message:
            await running.write(message)
            yield reply
            return
        self._waiting[message["id"]] = reply
        try:
            await running.write(message)
            yield reply
        finally:
            del self._waiting[message["id"]]
            if not reply.is_answered:
                self._tell_left(running, message["id"])
            self._stop_when_idle()

    async def close(self) -> None:
        """Close this connection permanently: stop the process, and never start another one."""
        self._is_closed = True
        if self._stopping:
            self._stopping.cancel()
        running, self._running = self._running, None
        if running:
            await running.stop()
        await asyncio.gather(*self._leaving, return_exceptions=True)

    @property
    def _session(self) -> str:
        return str(self._number) if self._running else ""

    async def _there(self) -> RunningProcess:
        async with self._starting:
            if self._is_closed:
                raise ServerUnreachableError(f"{self.who} has been stopped.")
            if self._running is None:
                self._refuse_too_soon()
                command = self._command if isinstance(self._command, Command) else await self._command()
                self._begun, self._number = self.clock(), self._number + 1
                number = self._number
                self._running = self._last = await RunningProcess.start(
                    self.who, command, self._largest, self._receive, lambda: self._ended(number)
                )
            return self._running

    def _refuse_too_soon(self) -> None:
        """If the process exits repeatedly, reject calls until a pause is over. The pause doubles after each exit."""
        lived = self.clock() - self._begun
        if not self._begun or lived > _LONG_LIFE:
            self._pause = 0.0
        elif lived < self._pause:
            raise ServerUnreachableError(f"{self.who} has ended. Try again in {self._pause - lived:.0f} seconds.")
        self._pause = min(max(1.0, 2 * self._pause), _LONGEST_PAUSE) if self._begun else 0.0

    def _receive(self, message: dict[str, Any]) -> None:
        if "method" not in message:
            if reply := self._of(message.get("id")):
                reply.is_answered = True
                reply.take(message)
            return
        params = message.get("params")
        token = params.get("progressToken") if isinstance(params, dict) else None
        # A question from the extension's server does not say which request it belongs to, so one of the waiting callers
        # handles the question.
        waiting = self._of(token) if "id" not in message else next(iter(self._waiting.values()), None)
        if waiting:
            waiting.take(message)

    def _of(self, request: object) -> ChildReply | None:
        """Return the caller that waits for this request, or None if the id is unknown."""
        return self._waiting.get(request) if isinstance(request, str) else None

    def _ended(self, number: int) -> None:
        if number == self._number:
            running, self._running = self._running, None
            for reply in self._waiting.values():
                reply.is_answered = True
                reply.take(None)
            if running:
                self._leave(running.stop())

    def _tell_left(self, running: RunningProcess, request: object) -> None:
        about = {"requestId": request, "reason": "Nobody is waiting for the answer."}
        self._leave(_written(running, {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": about}))

    def _leave(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self._leaving.add(task)
        task.add_done_callback(self._leaving.discard)

    def _stop_when_idle(self) -> None:
        if self._stopping:
            self._stopping.cancel()
        self._stopping = asyncio.get_running_loop().call_later(self._idle, self._stop_idle)

    def _stop_idle(self) -> None:
        if self._running and not self._waiting:
            running, self._running = self._running, None
            self._begun = 0.0  # the process was idle and did not fail, so the next start is not delayed
            self._leave(running.stop())


async def _written(running: RunningProcess, message: Mapping[str, Any]) -> None:
    with suppress(Refusal):
        await running.write(message)
