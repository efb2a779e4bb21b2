"""`scripts/sync`, run by hand."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from tests.fakes.updates.api import UpdatesApi
from tests.updates.syncing import records

SCRIPT = Path(__file__).parent.parent / "scripts" / "sync"


async def run(url: str, folder: Path, *options: str) -> tuple[int | None, str]:
    environment = {**os.environ, "UPDATES_API_URL": url, "STORAGE_FOLDER": str(folder)}
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        SCRIPT,
        *options,
        env=environment,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    output, _ = await process.communicate()
    return process.returncode, output.decode()


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


@pytest.mark.parametrize("url", ["http://example.com/feed", "ftp://127.0.0.1/feed"])
async def test_an_address_that_is_not_allowed_is_refused_in_words(tmp_path: Path, url: str) -> None:
    status, output = await run(url, tmp_path)
    assert status == 1
    assert "Traceback" not in output
    assert "https" in output
