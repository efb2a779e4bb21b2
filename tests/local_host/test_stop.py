"""How the host ends."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from textwrap import indent
from typing import Final

import pytest
from aiohttp import ClientSession

from local_host.process import LISTENING
from tests.local_host.sample import SAMPLE, SETTINGS, WriteApp
from tests.warm.app import start

ROOT: Final = Path(__file__).parents[2]
Host = subprocess.Popen[bytes]


@contextmanager
def started(app: Path, folder: Path) -> Iterator[Host]:
    with (
        (folder / "stderr").open("wb") as log,
        start(app, ["--port", "0"], settings=SETTINGS, stdout=subprocess.PIPE, stderr=log.fileno()) as process,
    ):
        try:
            yield process
        finally:
            process.kill()


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    with started(SAMPLE, tmp_path) as process:
        yield process


def url_of(host: Host) -> str:
    for line in map(bytes.decode, host.stdout or ()):
        if line.startswith(LISTENING):
            return line.removeprefix(LISTENING).strip()
    raise AssertionError("the host did not start")


def stop_by_stdin(host: Host) -> None:
    assert host.stdin
    host.stdin.close()


def port_is_free(url: str) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", int(url.rpartition(":")[2]))) != 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_without_a_word_and_frees_the_port(host: Host, tmp_path: Path, number: signal.Signals) -> None:
    url = url_of(host)
    host.send_signal(number)
    assert host.wait(20) == 0
    assert port_is_free(url)
    assert "Traceback" not in (tmp_path / "stderr").read_text()


def test_the_end_of_its_standard_input_ends_it(host: Host) -> None:
    url = url_of(host)
    stop_by_stdin(host)
    assert host.wait(20) == 0
    assert port_is_free(url)


@pytest.mark.parametrize("tell", [stop_by_stdin, lambda host: host.send_signal(signal.SIGINT)], ids=["stdin", "signal"])
def test_it_ends_while_the_app_is_imported(write_app: WriteApp, tmp_path: Path, tell: Callable[[Host], object]) -> None:
    os.mkfifo(tmp_path / "pipe")
    app = write_app(f"print('importing', flush=True)\nopen({str(tmp_path / 'pipe')!r}).read()\n")
    with started(app, tmp_path) as host:
        assert host.stdout
        assert host.stdout.readline() == b"importing\n"
        tell(host)
        assert host.wait(20) == 0
    assert (tmp_path / "stderr").read_text() == ""


# Python ignores exceptions in callbacks of weak references, as it does in those of the import system.
LOSING = """
import os, signal, weakref
class Thing: ...
thing = Thing()
callback = weakref.ref(thing, lambda _: os.kill(os.getpid(), signal.SIGTERM))
del thing
"""


def test_it_ends_although_the_exception_of_the_signal_is_lost(write_app: WriteApp, tmp_path: Path) -> None:
    with started(write_app(LOSING), tmp_path) as host:
        assert host.wait(20) == 0
    assert "Exception ignored" in (tmp_path / "stderr").read_text()


WATCHING = f"""
import sys
from functools import partial
from pathlib import Path
from local_host import watch
from local_host.stopping import on_stop_signal

def sleep(_):
{indent(LOSING, "    ")}

watch.time.sleep = sleep
on_stop_signal(partial(sys.exit, 1))
watch.watch(Path(sys.argv[1]), ["--port", "0"])
"""


def test_it_stops_watching_although_the_exception_of_the_signal_is_lost(write_app: WriteApp) -> None:
    command = [sys.executable, "-c", WATCHING, str(write_app(""))]
    ended = subprocess.run(command, cwd=ROOT, timeout=20, capture_output=True, check=False)
    assert b"Exception ignored" in ended.stderr
    assert ended.returncode == 0


@pytest.fixture
def pipes(tmp_path: Path) -> Path:
    """A folder for each kind of function, where it says that it is under way and waits to be let go."""
    for kind in ("async", "sync"):
        (tmp_path / kind).mkdir()
        for name in ("arrived", "go"):
            os.mkfifo(tmp_path / kind / name)
    return tmp_path


@pytest.mark.parametrize("kind", ["async", "sync"])
async def test_a_request_under_way_is_answered_before_the_end(host: Host, pipes: Path, kind: str) -> None:
    async with ClientSession(url_of(host)) as client:
        request = asyncio.create_task(client.post(f"/pipe/{kind}", data=str(pipes / kind)))
        assert await asyncio.to_thread((pipes / kind / "arrived").read_text) == "yes"
        host.send_signal(signal.SIGTERM)
        await asyncio.to_thread((pipes / kind / "go").write_text, "gone")
        async with await request as response:
            assert await response.json() == "gone"
    assert await asyncio.to_thread(host.wait, 20) == 0


async def test_functions_that_never_end_are_left_behind(host: Host, pipes: Path) -> None:
    async with ClientSession(url_of(host)) as client:
        kinds = ("async", "sync")
        requests = [asyncio.create_task(client.post(f"/pipe/{kind}", data=str(pipes / kind))) for kind in kinds]
        for kind in kinds:
            assert await asyncio.to_thread((pipes / kind / "arrived").read_text) == "yes"
        host.send_signal(signal.SIGTERM)
        assert await asyncio.to_thread(host.wait, 20) == 0
        await asyncio.wait(requests)
    assert all(request.exception() for request in requests)
    assert "was abandoned" in (pipes / "stderr").read_text()
