"""Runs a command for a parent process. Kills the command and its descendants when the parent ends.

This file runs as a separate program, `python watchdog.py LIFELINE COMMAND...`, and imports no module of this project.
LIFELINE is one end of a pipe; only the parent process has the other end. The command starts when the parent process
writes a byte to the pipe. The command uses the standard streams of this process.
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
# Options of prctl, which only Linux has.
_DIE_WITH_PARENT = 1
_BE_SUBREAPER = 36  # makes orphaned descendants children of this process
_NO_NEW_PRIVILEGES = 38  # inherited by all descendants: blocks set-uid programs, and marks escaped processes


def main() -> None:
    lifeline = int(sys.argv[1])
    if not os.read(lifeline, 1):
        return  # the parent process has ended
    prctl = ctypes.CDLL(None).prctl if sys.platform == "linux" else _do_nothing
    prctl(_BE_SUBREAPER, 1, 0, 0, 0)
    prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    command = subprocess.Popen(  # noqa: S603 - an operator wrote the command
        sys.argv[2:],
        start_new_session=True,
        preexec_fn=lambda: prctl(_DIE_WITH_PARENT, signal.SIGKILL, 0, 0, 0),  # noqa: PLW1509 - there is one thread
    )
    for stream in (0, 1):  # only the command may keep these streams open, so that readers notice when it ends
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
    # Processes that left the process group become children of this process when their parents end.
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
