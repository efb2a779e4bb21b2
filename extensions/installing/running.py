"""Runs the program of a registry to its end: with nothing of our environment, for a while, and never longer than us."""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from extensions.upstream.process import WATCHDOG
from extensions.words import readable
from refusal import Refusal

SECONDS: Final = 300.0
_SECONDS_BETWEEN_LOOKS: Final = 0.5
_LONGEST_WORDS: Final = 600
# How this machine reaches registries at all: certificates and proxies, and nothing by which another registry is named.
_PASSED: Final = (
    *("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "NO_PROXY", "no_proxy"),
    *("NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "PIP_CERT"),
)


async def run(words: Sequence[str], folder: Path, more: Mapping[str, str], fits: Callable[[], None]) -> None:
    """Run it in a folder. While it runs, `fits` is asked whether what it makes is within bounds.

    Raises:
        Refusal: It fails, takes too long, or makes too much.
    """
    theirs, ours = os.pipe()
    environment = (
        {name: os.environ[name] for name in _PASSED if name in os.environ} | {"HOME": str(folder)} | dict(more)
    )
    watched = [sys.executable, "-I", "-S", str(WATCHDOG), str(theirs), *words]
    try:
        process = await asyncio.create_subprocess_exec(
            *watched, stdin=DEVNULL, stdout=DEVNULL, stderr=PIPE, env=environment, pass_fds=[theirs], cwd=folder
        )
    finally:
        os.close(theirs)
    try:
        await _ended(process, Path(words[0]).name, fits)
    finally:
        os.close(ours)  # by which it ends, with all that it started
        await process.wait()


async def _ended(process: Process, name: str, fits: Callable[[], None]) -> None:
    looking = asyncio.create_task(_look(fits))
    telling = asyncio.create_task(_last_words(process))
    try:
        async with asyncio.timeout(SECONDS):
            await asyncio.wait([looking, telling], return_when=asyncio.FIRST_COMPLETED)
            if looking.done():
                looking.result()
            words = await telling
            code = await process.wait()
    except TimeoutError:
        raise Refusal(f"{name} did not end within {SECONDS:g} seconds.") from None
    finally:
        looking.cancel()
        telling.cancel()
        await asyncio.gather(looking, telling, return_exceptions=True)
    if code:
        raise Refusal(f"{name} failed. In its own words: {words!r}")


async def _look(fits: Callable[[], None]) -> None:
    while True:
        await asyncio.sleep(_SECONDS_BETWEEN_LOOKS)
        await asyncio.to_thread(fits)


async def _last_words(process: Process) -> str:
    kept = b""
    while process.stderr and (piece := await process.stderr.read(65_536)):
        kept = (kept + piece)[-4 * _LONGEST_WORDS :]
    text = kept.decode(errors="replace")
    return readable(text[-_LONGEST_WORDS:], _LONGEST_WORDS).strip()
