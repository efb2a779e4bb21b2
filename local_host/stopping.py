"""How the host is told to stop: by a signal, or by the end of its standard input."""

from __future__ import annotations

import _thread
import os
import signal
import sys
import threading
from collections.abc import Callable

# Works alike on every system, and also when whoever started the host is killed.
STOP_WITH_STDIN = "--stop-with-stdin"


def when_told_to_stop(stop: Callable[[], object]) -> None:
    """Call `stop` from now on, in place of what was to be called before."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop())


def treat_end_of_stdin_as_signal() -> None:
    threading.Thread(target=_signal_at_end_of_stdin, daemon=True).start()


def _signal_at_end_of_stdin() -> None:
    # Read without the buffer of sys.stdin, whose lock would be held when the interpreter ends.
    while os.read(sys.stdin.fileno(), 1024):
        pass
    if sys.platform == "win32":
        _thread.interrupt_main(signal.SIGTERM)
    else:  # a real signal reaches the main thread also where it waits for something
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGTERM)
