"""What is done to the world outside of a process, as Python itself tells it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

_REACHING: Final = frozenset({"socket.connect", "socket.getaddrinfo", "subprocess.Popen", "os.posix_spawn"})
_CHANGING: Final = frozenset({"os.remove", "os.rename", "os.mkdir", "os.rmdir"})
_WRITING: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_TRUNC
# Whoever is being watched, with the tasks and threads that they begin.
_seen: Final[ContextVar[list[str] | None]] = ContextVar("seen", default=None)
_hooked: Final[list[bool]] = []


@contextmanager
def going_out() -> Iterator[list[str]]:
    """Whatever is connected to, looked up, started, written or removed by what is called within it."""
    if not _hooked:
        # It stays for as long as the process, and is quick where nobody watches.
        sys.addaudithook(_hear)
        _hooked.append(True)
    seen: list[str] = []
    token = _seen.set(seen)
    try:
        yield seen
    finally:
        _seen.reset(token)


def _hear(event: str, given: tuple[Any, ...]) -> None:
    if (seen := _seen.get()) is not None and _is_told(event, given):
        seen.append(f"{event} {given[:2]}")


def _is_told(event: str, given: tuple[Any, ...]) -> bool:
    # What Python compiles on its way is no work of a tool.
    if event == "open":
        return bool(given[2] & _WRITING) and "__pycache__" not in str(given[0])
    return event in _REACHING or (event in _CHANGING and "__pycache__" not in str(given[0]))
