"""Runs programs that never outlive this server. Each program runs under a watchdog, and processes that escape the
watchdog are killed.

A program can kill its watchdog. On Linux, this process then adopts the orphaned program, and kills it.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

_WATCHDOG: Final = Path(__file__).with_name("watchdog.py")
_SECONDS_FOR_STRAYS: Final = 5.0
_SECONDS_BETWEEN_LOOKS: Final = 0.005
# Options of prctl: other processes of this user cannot read this process, and this process adopts orphaned descendants.
_SET_DUMPABLE: Final = 4
_SET_CHILD_SUBREAPER: Final = 36
# Every process that a watchdog starts has this flag permanently. Descendants of the process inherit the flag. No other
# process has this flag.
_MARK: Final = "NoNewPrivs:\t1"

logger = logging.getLogger(__name__)
_watchdogs: set[int] = set()


@dataclass(slots=True)
class WatchedProgram:
    """A program that runs under a watchdog. The program and its watchdog end when the lifeline pipe is closed."""

    process: Process
    _lifeline: int

    @classmethod
    async def start(
        cls, words: Sequence[str], environment: Mapping[str, str], folder: str | Path, *, stdin: int, stdout: int
    ) -> WatchedProgram:
        """Start a program.

        Raises:
            OSError: The program cannot be started.
        """
        protect_this_process()
        theirs, ours = os.pipe()
        command = [sys.executable, "-I", "-S", str(_WATCHDOG), str(theirs), *words]
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=stdin,
                stdout=stdout,
                stderr=PIPE,
                env=dict(environment),
                pass_fds=[theirs],
                cwd=folder,
                start_new_session=True,
            )
            _watchdogs.add(process.pid)
            os.write(ours, b".")  # the program starts now, after its watchdog was registered
        except BaseException:
            os.close(ours)
            raise
        finally:
            os.close(theirs)
        return cls(process, ours)

    def end(self) -> None:
        """Close the lifeline, so that the watchdog ends the program."""
        if self._lifeline >= 0:
            os.close(self._lifeline)
            self._lifeline = -1

    async def wait(self) -> int:
        """Wait until the watchdog has ended, and kill processes that escaped it."""
        if sys.platform == "linux":
            await _exit_of(self.process.pid)
            await asyncio.to_thread(_end_strays)
        code = await self.process.wait()
        _watchdogs.discard(self.process.pid)
        return code


async def _exit_of(pid: int) -> None:
    """Wait only for the process. asyncio may also wait for pipes, which processes that escaped can keep open."""
    exited = asyncio.Event()
    with suppress(ProcessLookupError):
        descriptor = os.pidfd_open(pid)
        loop = asyncio.get_running_loop()
        loop.add_reader(descriptor, exited.set)
        try:
            await exited.wait()
        finally:
            loop.remove_reader(descriptor)
            os.close(descriptor)


@cache
def protect_this_process() -> None:
    """Protect this process from its children, and adopt processes that escape a watchdog (Linux only)."""
    if sys.platform == "linux":
        import ctypes

        prctl = ctypes.CDLL(None, use_errno=True).prctl
        for option, value in ((_SET_DUMPABLE, 0), (_SET_CHILD_SUBREAPER, 1)):
            if prctl(option, value, 0, 0, 0):
                raise OSError(ctypes.get_errno(), "prctl failed")


def _end_strays() -> None:
    """Kill escaped processes. The children of a killed process become children of this process, so repeat until no
    children are left.
    """
    latest = time.monotonic() + _SECONDS_FOR_STRAYS
    while strays := [pid for pid in _children() if _is_stray(pid)]:
        if time.monotonic() > latest:
            logger.error("%d processes that escaped an extension's watchdog are still running.", len(strays))
            return
        _kill(strays)


def _kill(strays: list[int]) -> None:
    for pid in strays:
        with suppress(OSError):
            os.kill(pid, signal.SIGKILL)
    time.sleep(_SECONDS_BETWEEN_LOOKS)
    for pid in strays:
        with suppress(OSError):
            os.waitpid(pid, os.WNOHANG)


def _children() -> list[int]:
    tasks = Path("/proc/self/task").glob("*/children")
    return [int(child) for task in tasks for child in _text(task).split()]


def _is_stray(pid: int) -> bool:
    """Check whether a child process escaped its watchdog.

    An escaped process is in another session, and cannot join the session of this process.
    """
    with suppress(OSError):
        is_elsewhere = os.getsid(pid) != os.getsid(0)
        return is_elsewhere and pid not in _watchdogs and _MARK in _text(Path(f"/proc/{pid}/status"))
    return False


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError:  # the process has ended
        return ""
