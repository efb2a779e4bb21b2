"""Stops the host on a signal or at the end of its standard input."""

from __future__ import annotations

import _thread
import os
import signal
import sys
import threading
from collections.abc import Callable

# Works the same on every system, also if the parent process is killed.
STOP_WITH_STDIN = "--stop-with-stdin"


def when_told_to_stop(stop: Callable[[], object]) -> None:
    """Call `stop` from now on, instead of the previous handler."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop())


def treat_end_of_stdin_as_signal() -> None:
    threading.Thread(target=_signal_at_end_of_stdin, daemon=True).start()


def _signal_at_end_of_stdin() -> None:
    # Read without the buffer of sys.stdin, whose lock would block the interpreter's exit.
    while os.read(sys.stdin.fileno(), 1024):
        pass
    if sys.platform == "win32":
        _thread.interrupt_main(signal.SIGTERM)
    else:  # a real signal also reaches a waiting main thread
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGTERM)
