"""`scripts/sync`, run by hand."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.updates.api import UpdatesApi
from tests.updates.syncing import records
from tests.warm.app import WARM

SCRIPT = Path(__file__).parent.parent / "scripts" / "sync"


def started(url: str, folder: Path, *options: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "UPDATES_API_URL": url, "STORAGE_FOLDER": str(folder)}
    given: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    return WARM.popen([sys.executable, SCRIPT, *options], env=environment, **given)


async def run(url: str, folder: Path, *options: str) -> tuple[int | None, str]:
    with started(url, folder, *options) as process:
        output, _ = await asyncio.to_thread(process.communicate)
    return process.returncode, output


async def test_it_shows_how_far_it_is_and_what_came_of_it(tmp_path: Path) -> None:
    async with UpdatesApi(records(250)).serving() as url:
        status, output = await run(url, tmp_path)
        assert status == 0
        assert "] 250 of 250" in output
        assert "250 added" in output
        assert "delta unchanged" in (await run(url, tmp_path))[1]
        assert "reconcile unchanged" in (await run(url, tmp_path, "--full"))[1]


async def test_what_came_of_it_is_told_once(tmp_path: Path) -> None:
    async with UpdatesApi(records(250)).serving() as url:
        await run(url, tmp_path)
    async with UpdatesApi(records(100)).serving() as url:
        status, output = await run(url, tmp_path, "--full")
    assert status == 1
    assert output.count("reconcile refused") == 1


@pytest.mark.skipif(os.name == "nt", reason="there, nobody can be told to end")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_a_sync_that_is_told_to_end_keeps_nobody_out(tmp_path: Path, number: signal.Signals) -> None:
    asked = asyncio.Event()

    async def never_answer(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.set()
        await ended.wait()
        writer.close()

    ended = asyncio.Event()
    server = await asyncio.start_server(never_answer, "127.0.0.1", 0)
    hanging = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/feed"
    with started(hanging, tmp_path) as process:
        await asked.wait()
        process.send_signal(number)
        await asyncio.to_thread(process.communicate)
    ended.set()
    server.close()
    async with UpdatesApi(records(10)).serving() as url:
        assert "10 added" in (await run(url, tmp_path))[1]


@pytest.mark.parametrize("url", ["http://example.com/feed", "ftp://127.0.0.1/feed"])
async def test_an_address_that_is_not_allowed_is_refused_in_words(tmp_path: Path, url: str) -> None:
    status, output = await run(url, tmp_path)
    assert status == 1
    assert "Traceback" not in output
    assert "https" in output
