"""Forks Python programs off this process, which imported modules for them when it started.

It is run as a script, whose standard input is a socket. Each request on it is a JSON object with four files: the
standard streams of the program, and one for its ID and, later, its status.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import pkgutil  # noqa: F401 - which running a program imports
import runpy
import select
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

MOST_BYTES = 1 << 20
STREAMS = 3


class Forking:
    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._ended, self._wake = socket.socketpair()
        self._wake.setblocking(False)
        self._statuses: dict[int, int] = {}
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._wake.fileno())

    def next_program(self) -> dict[str, Any] | None:
        """Fork a process for each request. Returns the request in that process, and None in this one at the end."""
        while True:
            ready, _, _ = select.select([self._control, self._ended], [], [])
            if self._ended in ready:
                self._ended.recv(MOST_BYTES)
                self._report_ended()
            if self._control in ready:
                request, files, _, _ = socket.recv_fds(self._control, MOST_BYTES, STREAMS + 1)
                if not request:
                    return None
                if not self._fork(files):
                    return dict(json.loads(request))

    def _fork(self, files: list[int]) -> int:
        """Return the ID of the new process, and 0 in it."""
        *streams, status = files
        if pid := os.fork():
            for file in streams:
                os.close(file)
            self._statuses[pid] = status
            os.write(status, b"%d\n" % pid)
        else:
            self._leave()
            for number, file in enumerate(streams):
                os.dup2(file, number)
            for file in files:
                os.close(file)
        return pid

    def _leave(self) -> None:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        self._control.detach()
        self._ended.close()
        self._wake.close()
        for file in self._statuses.values():
            os.close(file)

    def _report_ended(self) -> None:
        with suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                status = self._statuses.pop(ended[0])
                with suppress(BrokenPipeError):  # nobody waits for it any longer
                    os.write(status, b"%d\n" % ended[1])
                os.close(status)


def enter(program: dict[str, Any]) -> None:
    """Become what the interpreter would be at the start of this program."""
    os.environ.clear()
    os.environ.update(program["env"])
    os.chdir(program["cwd"])
    if program["start_new_session"]:
        os.setsid()
    sys.argv = program["arguments"]
    sys.path[0] = program["cwd"] if program["is_module"] else str(Path(sys.argv[0]).parent)


class Ending:
    """Ends a process as soon as it has done what programs do at their end. To free every object takes longer."""

    def __init__(self) -> None:
        self._status = 0
        atexit.register(self._end)  # what is registered first is called last

    @contextmanager
    def expected(self) -> Iterator[None]:
        try:
            yield
        except SystemExit as end:
            self._status = end.code if isinstance(end.code, int) else int(end.code is not None)
            raise
        except KeyboardInterrupt:  # which ends an interpreter with a signal
            atexit.unregister(self._end)
            raise
        except BaseException:
            self._status = 1
            raise

    def _end(self) -> None:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(self._status)


def main() -> None:
    ending = Ending()
    for module in sys.argv[1:]:
        with suppress(ImportError):  # the program tells it if it needs the module
            import_module(module)
    gc.freeze()
    program = Forking(socket.socket(fileno=0)).next_program()
    if program is None:
        return
    enter(program)
    with ending.expected():
        if program["is_module"]:
            runpy.run_module(program["arguments"][0], run_name="__main__", alter_sys=True)
        else:
            runpy.run_path(program["arguments"][0], run_name="__main__")


main()
