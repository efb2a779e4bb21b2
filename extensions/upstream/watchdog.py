"""Runs a command for another process, and kills it and its descendants when that process ends.

Runs standalone, as `python watchdog.py LIFELINE COMMAND...`, and imports none of our modules. The lifeline is one end
of a pipe whose other end only the parent has; the command starts when a byte arrives. It inherits this process's
streams.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

_KILLED = 1
# For prctl, which only Linux has.
_DIE_WITH_PARENT = 1
_BE_SUBREAPER = 36  # orphans become children of this process
_NO_NEW_PRIVILEGES = 38  # inherited permanently: no set-uid program can escape, and the server recognizes strays by it


def main() -> None:
    lifeline = int(sys.argv[1])
    if not os.read(lifeline, 1):
        return  # the other process has ended
    prctl = ctypes.CDLL(None).prctl if sys.platform == "linux" else _do_nothing
    prctl(_BE_SUBREAPER, 1, 0, 0, 0)
    prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    command = subprocess.Popen(  # noqa: S603 - an operator wrote the command
        sys.argv[2:],
        start_new_session=True,
        preexec_fn=lambda: prctl(_DIE_WITH_PARENT, signal.SIGKILL, 0, 0, 0),  # noqa: PLW1509 - there is one thread
    )
    for stream in (0, 1):  # only the command has them, so that closing them is noticed
        os.close(stream)
    threading.Thread(target=_wait_for_the_end, args=(lifeline, command.pid), daemon=True).start()
    code = command.wait()
    _end_all(command.pid, code if code >= 0 else _KILLED)


def _do_nothing(*_: int) -> int:
    return 0


def _wait_for_the_end(lifeline: int, group: int) -> None:
    os.read(lifeline, 1)
    _end_all(group)


def _end_all(group: int, code: int = 0) -> None:
    with suppress(OSError):
        os.killpg(group, signal.SIGKILL)
    # Processes that left the group became children of this one when their parents died.
    while children := _children():
        for child in children:
            with suppress(OSError):
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
    os._exit(code)


def _children() -> list[int]:
    try:
        tasks = list(Path("/proc/self/task").glob("*/children"))
        return [int(child) for task in tasks for child in task.read_text(encoding="ascii").split()]
    except OSError:
        return []


if __name__ == "__main__":
    main()
