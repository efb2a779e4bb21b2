"""A server in the name of docs.example.net, and names that lead to it or elsewhere."""

from __future__ import annotations

import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aiohttp import BaseConnector, TCPConnector, web
from aiohttp.abc import AbstractResolver, ResolveResult

from clients.public_fetch import FetchedFile, PublicFetcher

URL = "https://docs.example.net/about.json"
PUBLIC = "93.184.216.34"


@dataclass
class Names:
    """Who asks for a name gets the next of these answers."""

    answers: list[list[str]]
    asked: list[str] = field(default_factory=list)

    def __call__(self, host: str) -> list[str]:
        self.asked.append(host)
        return self.answers[min(len(self.asked), len(self.answers)) - 1]


class Elsewhere(AbstractResolver):
    """Lets every address be checked, and then leads to a server of the test."""

    def __init__(self, checking: AbstractResolver, port: int, led_from: list[str]) -> None:
        self._checking, self._port, self._led_from = checking, port, led_from

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        found = await self._checking.resolve(host, port, family)
        self._led_from += [result["host"] for result in found]
        here = ResolveResult(hostname=host, host="127.0.0.1", port=self._port, family=socket.AF_INET, proto=0, flags=0)
        return [here] * bool(found)

    async def close(self) -> None:
        pass


@dataclass
class Place:
    """A server that answers over TLS, in the name of docs.example.net."""

    answer: Callable[[web.Request], Awaitable[web.StreamResponse]]
    certificate: Path
    names: Names = field(default_factory=lambda: Names([[PUBLIC]]))
    led_from: list[str] = field(default_factory=list)
    seen: list[web.Request] = field(default_factory=list)

    async def fetch(self, url: str = URL, **bounds: Any) -> FetchedFile:
        async with self._serving() as port:
            trusting = ssl.create_default_context(cafile=str(self.certificate))

            def connect(resolver: AbstractResolver) -> BaseConnector:
                return TCPConnector(
                    resolver=Elsewhere(resolver, port, self.led_from), use_dns_cache=False, ssl=trusting
                )

            fetcher = PublicFetcher(self.names, connect)
            return await fetcher.fetch(url, **{"largest": 1000, "seconds": 5, **bounds})

    @asynccontextmanager
    async def _serving(self) -> AsyncIterator[int]:
        app = web.Application()
        app.router.add_get("/{path:.*}", self._answer)
        runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0)
        await runner.setup()
        own = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        own.load_cert_chain(self.certificate)
        try:
            await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=own).start()
            yield runner.addresses[0][1]
        finally:
            await runner.cleanup()

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        self.seen.append(request)
        return await self.answer(request)


def answering(**options: Any) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
    async def answer(_request: web.Request) -> web.StreamResponse:
        return web.Response(**options)

    return answer
