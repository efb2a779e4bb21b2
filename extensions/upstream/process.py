"""Runs an extension's server as a local process, without this server's environment variables.

The process ends when this server ends.
"""

from __future__ import annotations

import asyncio
from asyncio.subprocess import PIPE
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

from pydantic_core import to_json

from extensions.upstream.failures import ServerUnreachableError
from extensions.upstream.json_reading import read
from extensions.upstream.line_splitter import LineSplitter
from extensions.upstream.watched import WatchedProgram
from refusal import Refusal

_PIECE: Final = 65_536
_KEPT_OF_ERRORS: Final = 4_000
_SECONDS_TO_LEAVE: Final = 1.0

Prepare = Callable[[], Awaitable["Command"]]
OnMessage = Callable[[dict[str, Any]], None]
OnEnd = Callable[[], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command and all its environment variables."""

    words: Sequence[str]
    environment: Mapping[str, str] = field(repr=False)
    # The working folder.
    folder: str = "/"


class RunningProcess:
    """A running process of an extension. JSON-RPC messages in the process's output are delivered as soon as they
    arrive. All other output is skipped.
    """

    def __init__(self, who: str, program: WatchedProgram, largest: int) -> None:
        self.who = who
        self._program = program
        self._process = program.process
        self._largest = largest
        self._readers: list[asyncio.Task[None]] = []
        self._ending: asyncio.Task[int]
        self._errors = b""

    @classmethod
    async def start(cls, who: str, command: Command, largest: int, told: OnMessage, ended: OnEnd) -> RunningProcess:
        """Start the process. Raises ServerUnreachableError if the process cannot be started."""
        try:
            program = await WatchedProgram.start(
                command.words, command.environment, command.folder, stdin=PIPE, stdout=PIPE
            )
        except OSError as failure:
            raise ServerUnreachableError(f"{who} cannot be started ({type(failure).__name__}).") from None
        running = cls(who, program, largest)
        running._ending = asyncio.create_task(program.wait())
        readers = running._read(told, ended), running._read_errors()
        running._readers = [asyncio.create_task(reader) for reader in readers]
        return running

    @property
    def errors(self) -> str:
        """The most recent text that the process wrote to standard error."""
        return self._errors.decode(errors="replace")

    async def write(self, message: Mapping[str, Any]) -> None:
        """Send a message to the process. Raises ServerUnreachableError if the process has ended."""
        pipe = self._process.stdin
        if pipe is None or pipe.is_closing():
            raise ServerUnreachableError(f"{self.who} has ended.")
        try:
            pipe.write(to_json(message) + b"\n")
            await pipe.drain()
        except (BrokenPipeError, ConnectionResetError):
            raise ServerUnreachableError(f"{self.who} has ended.") from None

    async def stop(self) -> None:
        """Ask the process to exit. If the process does not exit, kill it and its descendants."""
        if self._process.stdin:
            self._process.stdin.close()
        try:
            with suppress(TimeoutError):
                await asyncio.wait_for(asyncio.shield(self._ending), _SECONDS_TO_LEAVE)
        finally:
            self._program.end()
        await asyncio.shield(self._ending)
        await asyncio.gather(*self._readers, return_exceptions=True)

    async def _read(self, told: OnMessage, ended: OnEnd) -> None:
        lines = LineSplitter(self._largest)
        stream = self._process.stdout
        try:
            while stream and (piece := await stream.read(_PIECE)):
                for line in lines.feed(piece):
                    for message in _messages(line):
                        told(message)
        except Refusal as too_much:
            self._errors = str(too_much).encode()
            self._program.end()
            while stream and await stream.read(_PIECE):
                pass  # the rest of the output is discarded
        finally:
            self._program.end()
            ended()

    async def _read_errors(self) -> None:
        stream = self._process.stderr
        while stream and (piece := await stream.read(_PIECE)):
            self._errors = (self._errors + piece)[-_KEPT_OF_ERRORS:]


def _messages(line: bytes) -> list[dict[str, Any]]:
    if not line.lstrip().startswith((b"{", b"[")):
        return []  # some servers print a greeting first
    try:
        document = read(line)
    except (ValueError, RecursionError):
        return []
    return [one for one in (document if isinstance(document, list) else [document]) if isinstance(one, dict)]
