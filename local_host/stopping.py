"""Stops the host on a signal, or when its standard input ends."""

from __future__ import annotations

import _thread
import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import Final

# On every operating system, standard input ends when the parent process ends, even if the parent process is killed.
STOP_WITH_STDIN = "--stop-with-stdin"

_received: Final[list[int]] = []


def on_stop_signal(stop: Callable[[], object]) -> None:
    """When a signal tells the process to stop, call `stop` instead of the previous handler.

    If such a signal was already received, `stop` is called now. The previous handler may have had no effect, because
    Python ignores exceptions in some callbacks, for example in callbacks of the import system.
    """

    def handle(number: int, _frame: object) -> None:
        _received.append(number)
        stop()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, handle)
    if _received:
        stop()


def exit_if_stopped() -> None:
    """End the process if a signal has told it to stop."""
    if _received:
        sys.exit(0)


def treat_end_of_stdin_as_signal() -> None:
    threading.Thread(target=_signal_at_end_of_stdin, daemon=True).start()


def _signal_at_end_of_stdin() -> None:
    # Read the file descriptor, because a lock in `sys.stdin` would keep Python from exiting.
    while os.read(sys.stdin.fileno(), 1024):
        pass
    if sys.platform == "win32":
        _thread.interrupt_main(signal.SIGTERM)
    else:  # raise a real signal, because nothing else interrupts the main thread while it waits
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGTERM)
