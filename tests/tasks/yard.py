"""A place where tasks are done under a clock that the test moves, by workers that may be killed at any write."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from clients.queues import QueueError
from clients.storage import ConflictError, FileEntry, Row, StorageError, StoredFile
from refusal import Refusal
from tasks.keeping import TaskStore
from tasks.sending import NEGLECTED, Sending
from tasks.tasks import Tasks
from tasks.work import Next, StepDone, StepOutcome, Work, WorkStep
from tasks.worker import Worker

LEASE = 600.0


class KilledError(BaseException):
    """The process is gone: nothing of it runs any more."""


@dataclass
class Clock:
    now: float = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Fate:
    """Counts down over all that a worker does outside of itself; at zero it is killed, before or after doing it."""

    left: int = -1
    is_away: bool = False

    @contextmanager
    def befalling(self, failure: type[Exception]) -> Iterator[None]:
        if self.is_away:
            raise failure("It is away.")
        self._count()
        yield
        self._count()

    def _count(self) -> None:
        if self.left == 0:
            raise KilledError
        self.left -= 1


@dataclass
class Memory:
    """Rows and files as a storage account keeps them, as far as tasks use them."""

    fate: Fate
    rows: dict[str, Row] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    versions: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    async def prepare(self) -> None:
        """It is there."""

    async def close(self) -> None:
        """Nothing is open."""

    async def scan(self, _partition: str, prefix: str, limit: int | None = None, after: str = "") -> list[Row]:
        with self.fate.befalling(StorageError):
            found = sorted(key for key in self.rows if key.startswith(prefix) and key > after)
            return [self.rows[key] for key in found[:limit]]

    async def read_rows(self, _partition: str, keys: Collection[str]) -> list[Row]:
        with self.fate.befalling(StorageError):
            return [self.rows[key] for key in keys if key in self.rows]

    async def put_row(self, _partition: str, row: Row) -> None:
        with self.fate.befalling(StorageError):
            self._put(row)

    async def put_rows(self, _partition: str, guard: Row, rows: Sequence[Row]) -> Row:
        with self.fate.befalling(StorageError):
            stored = self.rows.get(guard.key)
            if (stored.version if stored else None) != guard.version:
                raise ConflictError("Somebody else wrote.")
            for row in rows:
                self._put(row)
            return self._put(guard)

    async def remove_row(self, _partition: str, key: str) -> None:
        with self.fate.befalling(StorageError):
            self.rows.pop(key, None)

    async def read_file(self, name: str) -> StoredFile | None:
        with self.fate.befalling(StorageError):
            return StoredFile(self.files[name], "1") if name in self.files else None

    async def create_file(self, name: str, content: bytes) -> None:
        with self.fate.befalling(StorageError):
            if name in self.files:
                raise ConflictError("It exists.")
            self.files[name] = content

    async def swap_file(self, name: str, content: bytes, version: str, lease: str) -> str:
        raise NotImplementedError

    async def list_files(self, prefix: str) -> list[FileEntry]:
        raise NotImplementedError

    async def remove_file(self, name: str) -> None:
        with self.fate.befalling(StorageError):
            self.files.pop(name, None)

    async def acquire(self, name: str, seconds: int) -> str | None:
        raise NotImplementedError

    async def renew(self, name: str, lease: str) -> None:
        raise NotImplementedError

    async def release(self, name: str, lease: str) -> None:
        raise NotImplementedError

    def _put(self, row: Row) -> Row:
        self.rows[row.key] = Row(row.key, row.content, str(next(self.versions)))
        return self.rows[row.key]


@dataclass
class Delivery:
    text: str
    visible: float
    tries: int = 0


@dataclass
class Line:
    """A queue as Azure has it: a message that is worked on is not seen for a while, and comes back if that was all."""

    fate: Fate
    clock: Clock
    messages: list[Delivery] = field(default_factory=list)
    poison: list[str] = field(default_factory=list)

    async def prepare(self) -> None:
        """It is there."""

    async def close(self) -> None:
        """Nothing is open."""

    async def send(self, text: str, after_seconds: float = 0.0) -> None:
        with self.fate.befalling(QueueError):
            self.messages.append(Delivery(text, self.clock() + after_seconds))

    async def waiting(self) -> int:
        return len(self.messages)

    def seen(self) -> list[Delivery]:
        return [message for message in self.messages if message.visible <= self.clock()]


class Yard:
    def __init__(self, kinds: Mapping[str, Work], seconds: float = 300.0) -> None:
        self.clock, self.fate = Clock(), Fate()
        self.memory, self.line = Memory(self.fate), Line(self.fate, self.clock)
        self.tasks = Tasks(TaskStore(lambda: self.memory), Sending(self.line, self.clock), kinds)
        self.worker = Worker(self.tasks, kinds, seconds)

    async def deliver(self, which: int = 0, *, kill_after: int = -1) -> None:
        """Bring one of the messages that can be seen to a worker, which is killed after so many steps outside."""
        seen = self.line.seen()
        if not seen:
            return
        message = seen[which % len(seen)]
        message.visible, message.tries = self.clock() + LEASE, message.tries + 1
        self.fate.left = kill_after
        try:
            await self.worker.do(message.text)
        except KilledError:
            return
        except Exception:  # noqa: BLE001 - the host lets the message come back, whatever it was
            message.visible = self.clock()
            if message.tries >= 5:
                self.line.messages.remove(message)
                self.line.poison.append(message.text)
            return
        finally:
            self.fate.left = -1
        self.line.messages.remove(message)

    async def act(self, act: str, which: int, kill_after: int, owner: str, name: str) -> None:
        """Something happens."""
        match act:
            case "deliver":
                await self.deliver(which, kill_after=kill_after)
            case "again" if self.line.messages:
                told = self.line.messages[which % len(self.line.messages)]
                self.line.messages.append(Delivery(told.text, self.clock()))
            case "pass":
                self.clock.now += which
            case "away" | "back":
                self.fate.is_away = act == "away"
            case "sweep" | "look":
                self.fate.left = kill_after
                with suppress(KilledError, Refusal):
                    await (self.worker.sweep() if act == "sweep" else self.tasks.of(owner, name))
                self.fate.left = -1

    async def until_quiet(self, most: int = 500, *, sweeps: bool = True) -> None:
        """Let time pass, and everything be done that there is to do."""
        for _ in range(most):
            if not self.line.messages and sweeps:
                self.clock.now += 2 * NEGLECTED
                await self.worker.sweep()
            if not self.line.messages:
                return
            self.clock.now = max(self.clock.now, min(message.visible for message in self.line.messages))
            await self.deliver()
        raise AssertionError("It never comes to rest.")


def counting(world: dict[Any, int], *, to: int) -> Work:
    """Work in several steps, each of which does something outside that is the same when it is done again."""

    async def step(given: WorkStep) -> StepOutcome:
        world[given.task, given.number] = world.get((given.task, given.number), 0) + 1
        counted = [*given.left.get("counted", []), given.number]
        return StepDone({"counted": counted}) if len(counted) == to else Next({"counted": counted}, after=5.0)

    return Work("counting", step)
