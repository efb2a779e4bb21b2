"""A service that gives what a test lined up, and a client of it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import web

from clients.rest import RestClient
from tests.fakes.serving import serving_locally
from tests.fakes.transport import HastyTransport

DAMAGED = {"Content-Encoding": "gzip", "Content-Type": "application/json"}
NOTHING = None  # instead of an answer, the connection is reset


@dataclass
class Service:
    """Gives the answers that the test lined up, then empty objects; remembers what it was asked."""

    answers: list[web.Response | None] = field(default_factory=list)
    asked: list[web.BaseRequest] = field(default_factory=list)
    bodies: list[str] = field(default_factory=list)
    transport: HastyTransport = field(default_factory=HastyTransport)

    async def handle(self, request: web.BaseRequest) -> web.Response:
        self.asked.append(request)
        self.bodies.append(await request.text())
        answer = self.answers.pop(0) if self.answers else web.json_response({})
        if answer is None and request.transport:
            request.transport.abort()
        return answer or web.Response()

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[str]:
        async with serving_locally(self.handle) as url:
            yield f"{url}/base"


@asynccontextmanager
async def client_of(service: Service, patience: float = 20) -> AsyncIterator[RestClient]:
    async with service.serving() as url, RestClient(url, patience=patience, transport=service.transport) as client:
        yield client
