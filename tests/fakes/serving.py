"""Serving on a free port of this machine."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from aiohttp import web

Handler = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]


@asynccontextmanager
async def serving_locally(what: web.Application | Handler) -> AsyncIterator[str]:
    """Serve an application, or whatever a function answers, and give the address."""
    runner: web.BaseRunner = (
        web.AppRunner(what, handler_cancellation=True, shutdown_timeout=0)
        if isinstance(what, web.Application)
        else web.ServerRunner(web.Server(what), shutdown_timeout=0)
    )
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        host, port = runner.addresses[0][:2]
        yield f"http://{host}:{port}"
    finally:
        await runner.cleanup()
