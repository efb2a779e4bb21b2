"""Compares the number of tokens in tool answers between an earlier commit and the current code. Both versions use the
same fake services.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tarfile
from collections.abc import Mapping
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from azure.core.pipeline.transport import AioHttpTransport

from scripts.benchmarks.azure_devops_fake import PROJECT, REPOSITORY, FakeForTwo
from tests.fakes.azure.monitor.bakery import WEB
from tests.fakes.azure.service import FakeAzure
from tests.mcp_server.caller import Caller
from tests.tools.azure_devops.calling import calling
from tests.tools.azure_devops.given import given

ROOT: Final = Path(__file__).resolve().parent.parent.parent
BEFORE: Final = "312482b"
_ASKED: Final = Path(__file__).with_name("answers_asked.py")
_REQUESTS: Final = 60
_THREADS: Final = 10


def section() -> str:
    print("measuring tokens in answers ...", flush=True)
    before, now = asyncio.run(measured())
    rows = "".join(
        f"| {tool} | {before[tool]:,.0f} | {tokens:,.0f} | {_difference(before[tool], tokens)} |\n"
        for tool, tokens in now.items()
    )
    return f"""## Tokens in answers

The table compares the answers of fifteen frequently used tools in an earlier version of this server (commit {BEFORE})
and in the current version, for the same arguments and data. Where answers are longer now, they contain more
information.

| tool | tokens before | tokens now | difference |
|---|---|---|---|
{rows}"""


def _difference(before: float, now: float) -> str:
    percent = round(now / before * 100 - 100)
    return f"{percent:+d} %" if percent else "0 %"


async def measured() -> tuple[Mapping[str, float], Mapping[str, float]]:
    """Return the number of tokens in each tool's answer: first for the earlier commit, then for the current code."""
    azure, azure_devops = FakeAzure(), FakeForTwo()
    _log(azure)
    with TemporaryDirectory() as folder:
        _unpack(Path(folder))
        async with azure.serving() as azure_url, azure_devops.serving() as azure_devops_url:
            async with calling(AioHttpTransport(), azure_devops_url) as caller:
                await azure_devops.fill(caller)
                await _discuss(caller)
            addresses = azure_url, azure_devops_url
            return await _asked(Path(folder), *addresses), await _asked(ROOT, *addresses)


def _log(azure: FakeAzure) -> None:
    """Log requests to an app: as many log entries as one query can return."""
    now = datetime.now(UTC)
    for number in range(_REQUESTS):
        own = {"Name": "GET /orders", "Url": f"https://shop.bakery.example.com/orders/{number}", "DurationMs": 12.5}
        azure.monitor.logs.add(WEB, "AppRequests", now, Success=True, ResultCode="200", ItemCount=1, **own)


async def _discuss(caller: Caller) -> None:
    """Add comment threads to the first pull request."""
    for number in range(_THREADS):
        body = {"content": f"Is shelf {number} ready? Please look at it once more."}
        await given(caller, "add_pull_request_comment", project=PROJECT, repository=REPOSITORY, pullRequestId=1, **body)


def _unpack(folder: Path) -> None:
    archive = subprocess.run(["git", "archive", BEFORE], cwd=ROOT, check=True, capture_output=True).stdout
    with tarfile.open(fileobj=BytesIO(archive)) as files:
        files.extractall(folder, filter="data")


async def _asked(checkout: Path, *addresses: str) -> Mapping[str, float]:
    """Measure the answers of a checkout in a separate process, because both checkouts have modules with
    the same names.
    """
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-P",
        str(_ASKED),
        *addresses,
        cwd=checkout,
        env={**os.environ, "PYTHONPATH": str(checkout)},
        stdout=subprocess.PIPE,
    )
    output, _ = await process.communicate()
    if process.returncode:
        raise RuntimeError(f"The tools of {checkout} could not be called.")
    found: dict[str, float] = json.loads(output)
    return found
