"""Runs the command of a package manager with a time limit, and without this server's environment variables."""

from __future__ import annotations

import asyncio
import os
from asyncio.subprocess import DEVNULL
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from extensions.sanitizing import readable
from extensions.upstream.watched import WatchedProgram
from refusal import Refusal

SECONDS: Final = 300.0
_SECONDS_BETWEEN_LOOKS: Final = 0.5
_LONGEST_WORDS: Final = 600
# The environment variables that the command inherits: those for certificates and proxies, but not those that select
# another registry.
_PASSED: Final = (
    *("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "NO_PROXY", "no_proxy"),
    *("NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "PIP_CERT"),
)


async def run(words: Sequence[str], folder: Path, more: Mapping[str, str], fits: Callable[[], None]) -> None:
    """Run a command, and call `fits` repeatedly to check the files. Raises Refusal if the command or a check fails."""
    environment = (
        {name: os.environ[name] for name in _PASSED if name in os.environ} | {"HOME": str(folder)} | dict(more)
    )
    program = await WatchedProgram.start(words, environment, folder, stdin=DEVNULL, stdout=DEVNULL)
    try:
        await _ended(program, Path(words[0]).name, fits)
    finally:
        program.end()  # also ends the descendants of the program
        await program.wait()


async def _ended(program: WatchedProgram, name: str, fits: Callable[[], None]) -> None:
    looking = asyncio.create_task(_look(fits))
    telling = asyncio.create_task(_last_words(program.process.stderr))
    try:
        async with asyncio.timeout(SECONDS):
            await asyncio.wait([looking, telling], return_when=asyncio.FIRST_COMPLETED)
            if looking.done():
                looking.result()
            words = await telling
            code = await program.wait()
    except TimeoutError:
        raise Refusal(f"{name} did not end within {SECONDS:g} seconds.") from None
    finally:
        looking.cancel()
        telling.cancel()
        await asyncio.gather(looking, telling, return_exceptions=True)
    if code:
        raise Refusal(f"{name} failed: {words!r}")


async def _look(fits: Callable[[], None]) -> None:
    while True:
        await asyncio.sleep(_SECONDS_BETWEEN_LOOKS)
        await asyncio.to_thread(fits)


async def _last_words(stream: asyncio.StreamReader | None) -> str:
    kept = b""
    while stream and (piece := await stream.read(65_536)):
        kept = (kept + piece)[-4 * _LONGEST_WORDS :]
    text = kept.decode(errors="replace")
    return readable(text[-_LONGEST_WORDS:], _LONGEST_WORDS).strip()
