"""Serving on a free port of this machine."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final

from aiohttp import web

# For clients of what is served here: it trusts no certificate. To load those that are usually trusted takes a while.
TRUST_IN_NOBODY: Final = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)

Handler = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]


@asynccontextmanager
async def serving_locally(
    what: web.Application | Handler, certified: ssl.SSLContext | None = None
) -> AsyncIterator[str]:
    """Serve an application, or whatever a function answers, and give the address."""
    runner: web.BaseRunner = (
        web.AppRunner(what, handler_cancellation=True, shutdown_timeout=0)
        if isinstance(what, web.Application)
        else web.ServerRunner(web.Server(what), shutdown_timeout=0)
    )
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=certified).start()
        host, port = runner.addresses[0][:2]
        yield f"https://localhost:{port}" if certified else f"http://{host}:{port}"
    finally:
        # The runner closes the connections that it knows, which it does some turns of the loop after accepting them.
        await _turns(3)
        await runner.cleanup()
        # A transport is closed a turn of the loop after the call that closes it, and the loop may end here.
        await _turns(1)


async def _turns(count: int) -> None:
    for _ in range(count):
        await asyncio.sleep(0)
