"""Stops the host on a signal, or when its standard input ends."""

from __future__ import annotations

import _thread
import os
import signal
import sys
import threading
from collections.abc import Callable

# On every operating system, standard input ends when the parent process ends, even if the parent process is killed.
STOP_WITH_STDIN = "--stop-with-stdin"


def on_stop_signal(stop: Callable[[], object]) -> None:
    """When a signal tells the process to stop, call `stop` instead of the previous handler."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop())


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
