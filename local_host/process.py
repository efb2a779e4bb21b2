"""Serves an app in a separate process, for tests and benchmarks."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, TypeAlias

from local_host.stopping import STOP_WITH_STDIN

LISTENING = "Listening on "

Popen: TypeAlias = Callable[..., subprocess.Popen[bytes]]

_PROJECT = Path(__file__).parent.parent
_SECONDS_TO_START = 60
_SECONDS_TO_STOP = 15


def start(
    app: Path,
    arguments: Sequence[str],
    *,
    settings: Mapping[str, str] | None = None,
    popen: Popen = subprocess.Popen,
    **streams: int | IO[bytes] | None,
) -> subprocess.Popen[bytes]:
    """Start `python -m local_host`. The started process stops when its standard input is closed or when the current
    process ends. For tests, `popen` can replace `subprocess.Popen`.
    """
    return popen(
        [sys.executable, "-m", "local_host", str(app.resolve()), *arguments, STOP_WITH_STDIN],
        cwd=_PROJECT,
        env={**os.environ, **(settings or {})},
        stdin=subprocess.PIPE,
        **streams,
    )


class AppDidNotStartError(Exception):
    """The app ended, or did not listen in time. The error message contains the end of the log."""


@contextmanager
def serving(
    app: Path,
    *,
    settings: Mapping[str, str] | None = None,
    options: Sequence[str] = (),
    log: Path | None = None,
    popen: Popen = subprocess.Popen,
) -> Iterator[str]:
    """Serve an app, and yield its URL.

    The app's output goes to a log. If no path is given for the log, the log is deleted at the end.

    Raises:
        AppDidNotStartError: The app could not be served.
    """
    arguments = ["--port", "0", *options]
    with TemporaryDirectory() as folder:
        log = log or Path(folder, "host.log")
        with (
            log.open("ab") as output,
            start(app, arguments, settings=settings, stdout=output, stderr=subprocess.STDOUT, popen=popen) as process,
        ):
            try:
                yield _url_when_listening(process, log)
            finally:
                stop(process)


@asynccontextmanager
async def running(
    app: Path,
    *,
    settings: Mapping[str, str] | None = None,
    options: Sequence[str] = (),
    log: Path | None = None,
    popen: Popen = subprocess.Popen,
) -> AsyncIterator[str]:
    """Like `serving`, but does not block the event loop."""
    import asyncio  # noqa: PLC0415 - scripts that import this module start faster without it

    process = serving(app, settings=settings, options=options, log=log, popen=popen)
    url = await asyncio.to_thread(process.__enter__)
    try:
        yield url
    finally:
        await asyncio.to_thread(process.__exit__, None, None, None)


def _url_when_listening(process: subprocess.Popen[bytes], log: Path) -> str:
    end = time.monotonic() + _SECONDS_TO_START
    while time.monotonic() < end:
        ended = process.poll() is not None
        text = log.read_text(encoding="utf-8", errors="replace")
        for line in text.splitlines(keepends=True):
            if line.startswith(LISTENING) and line.endswith("\n"):
                return line.removeprefix(LISTENING).strip()
        if ended:
            break
        time.sleep(0.02)
    raise AppDidNotStartError(f"The app did not start. The log ends with:\n{log.read_text(errors='replace')[-4000:]}")


def stop(process: subprocess.Popen[bytes]) -> None:
    """Stop a process by closing its standard input. If the process does not stop, kill it."""
    try:
        process.communicate(timeout=_SECONDS_TO_STOP)
    except subprocess.TimeoutExpired:
        process.kill()
