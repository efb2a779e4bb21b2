"""Starts Python programs in a few milliseconds: they are forked off a process that has imported modules for them.

Each program is a process of its own, with its own arguments, environment, folder and streams. Only modules of the
standard library and of packages are imported before it starts, never those that are tested.
"""

from __future__ import annotations

import atexit
import json
import os
import select
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

_SERVER: Final = Path(__file__).with_name("server.py")
# Coverage is measured from the start of an interpreter.
_IS_POSSIBLE: Final = sys.platform == "linux" and "COVERAGE_PROCESS_START" not in os.environ


class WarmPython:
    """An interpreter that is started once in each process of the tests, and forked for each program."""

    def __init__(self, *modules: str, python: str = sys.executable, variables: Mapping[str, str] | None = None) -> None:
        self._modules = modules
        self._python = python
        self._read = read_by_python(variables or os.environ)
        self._servers: dict[int, socket.socket] = {}

    def popen(self, command: Sequence[str | Path], **options: Any) -> subprocess.Popen[Any]:
        """Like `subprocess.Popen`, for `[python, script, …]` and `[python, "-m", module, …]`.

        If it was to read other variables when it starts, the interpreter is started for this program alone.
        """
        program = list(map(str, command))
        variables = read_by_python(options.get("env") or os.environ)
        if not _IS_POSSIBLE or program[0] != self._python or variables != self._read:
            return subprocess.Popen(program, **options)
        return _Forked(program, _server=self._server(), **options)

    def run(
        self, command: Sequence[str | Path], *, timeout: float = 60, **options: Any
    ) -> subprocess.CompletedProcess[str]:
        """Like `subprocess.run`, with the output as text."""
        pipes: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        with self.popen(command, **{**pipes, **options}, text=True) as process:
            try:
                stdout, stderr = process.communicate(timeout=timeout)
            finally:
                process.kill()
        return subprocess.CompletedProcess(process.args, process.returncode, stdout, stderr)

    def _server(self) -> socket.socket:
        """The server of this process. Processes that are forked off it start their own."""
        if os.getpid() not in self._servers:
            self._servers[os.getpid()] = self._started()
        return self._servers[os.getpid()]

    def _started(self) -> socket.socket:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        others = {name: value for name, value in os.environ.items() if name not in read_by_python(os.environ)}
        # Like a pipe, and unlike a file, a socket cannot be sought in, which streams find out when they are made.
        streams: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), theirs)
        command = [self._python, str(_SERVER), *self._modules]
        with theirs:
            process = subprocess.Popen(command, env={**others, **self._read}, start_new_session=True, **streams)
        atexit.register(process.wait)
        atexit.register(ours.close)
        return ours


def read_by_python(variables: Mapping[str, str]) -> dict[str, str]:
    """The variables that an interpreter reads when it starts."""
    return {name: value for name, value in variables.items() if name.startswith(("PYTHON", "LANG", "LC_"))}


class _Forked(subprocess.Popen[Any]):
    """A process that is no child of this one: the server reports its ID and its status."""

    def __init__(self, args: Sequence[str], *, _server: socket.socket, **options: Any) -> None:
        self._server = _server
        self._status = -1
        super().__init__(args, **options)

    def _execute_child(self, args: Any, *rest: Any) -> None:
        _, _, _, _, cwd, env, _, _, _, *files, _, _, _, _, _, start_new_session, _ = rest
        stdin, _, _, stdout, _, stderr = files
        streams = [own if given == -1 else given for own, given in enumerate((stdin, stdout, stderr))]
        is_module = args[1] == "-m"
        program = {
            "arguments": args[2 if is_module else 1 :],
            "is_module": is_module,
            "cwd": str(cwd or Path.cwd()),
            "env": dict(os.environ if env is None else env),
            "start_new_session": start_new_session,
        }
        self._status, theirs = os.pipe()
        try:
            socket.send_fds(self._server, [json.dumps(program).encode()], [*streams, theirs])
        finally:
            os.close(theirs)
            self._close_pipe_fds(*files)  # type: ignore[attr-defined]
        self.pid = self._next_number()
        self._child_created = True

    def _next_number(self) -> int:
        line = b""
        while not line.endswith(b"\n"):
            line += os.read(self._status, 1) or self._failed()
        return int(line)

    def _try_wait(self, flags: int) -> tuple[int, int]:
        if not select.select([self._status], [], [], 0 if flags & os.WNOHANG else None)[0]:
            return 0, 0
        status = self._next_number()
        os.close(self._status)
        return self.pid, status

    def _internal_poll(self, *_: object, **__: object) -> int | None:
        with self._waitpid_lock:  # type: ignore[attr-defined]
            if self.returncode is None:
                pid, status = self._try_wait(os.WNOHANG)
                if pid:
                    self._handle_exitstatus(status)  # type: ignore[attr-defined]
        return self.returncode

    def _failed(self) -> bytes:
        written = b"".join(iter(lambda: self._server.recv(10_000), b""))
        raise RuntimeError(f"The server of warm processes has ended: {written.decode()}")
