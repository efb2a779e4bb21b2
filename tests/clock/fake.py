"""A clock that stands still, and answers as the real one does."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiohttp import web

from tests.fakes.serving import serving_locally

TIME = "12:00"


@asynccontextmanager
async def clock() -> AsyncIterator[str]:
    app = web.Application()
    app.router.add_get("/now", _now)
    async with serving_locally(app) as url:
        yield url


async def _now(_request: web.Request) -> web.Response:
    return web.json_response({"time": TIME})
