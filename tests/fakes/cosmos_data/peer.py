"""A door before the server from npm, which is started once for all tests."""

from __future__ import annotations

import json
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, Final

import aiohttp
import pytest
from aiohttp import web

from tests.fakes.cosmos_data.program import KEY, cosmos_server
from tests.fakes.serving import serving_locally

__all__ = ["KEY", "Door", "Lost", "Sent", "door_before_the_peer", "peer"]

# The ranges of a container that has not grown yet.
ONE_RANGE: Final = {"_rid": "r", "PartitionKeyRanges": [{"id": "0", "minInclusive": "", "maxExclusive": "FF"}]}
_HOP: Final = {"host", "content-length", "transfer-encoding", "connection", "content-encoding"}


def peer() -> str:
    """The address of the server. Without Node and npm, the test is skipped."""
    if not (shutil.which("node") and shutil.which("npm")):
        pytest.skip("The peer of Cosmos DB needs Node.js and npm, and they are not on the path")
    return cosmos_server()


@dataclass(frozen=True, slots=True)
class Sent:
    """A request as it came."""

    method: str
    path: str
    headers: dict[str, str]
    body: Any

    @property
    def is_of_records(self) -> bool:
        return "/docs" in self.path

    @property
    def changes(self) -> bool:
        return self.is_of_records and self.method != "GET" and "query" not in self.headers.get("content-type", "")

    @property
    def partition(self) -> list[Any] | None:
        told = self.headers.get("x-ms-documentdb-partitionkey")
        return json.loads(told) if told else None


class Lost(Enum):
    """Where a connection breaks: before a change is carried out, or after that."""

    BEFORE_IT = auto()
    BEFORE_ITS_ANSWER = auto()
    WITHIN_ITS_ANSWER = auto()


@dataclass(slots=True)
class Door:
    """Lets requests through to the peer and notes them. What is planned is answered in their place."""

    sent: list[Sent] = field(default_factory=list)
    # Answers in place of the peer's, for requests of records, each with status, headers and document.
    planned: list[tuple[int, dict[str, str], Any]] = field(default_factory=list)
    # Where the connections of the next changes break, one after another, and of the next questions of records.
    lost: list[Lost] = field(default_factory=list)
    unread: list[Lost] = field(default_factory=list)
    # Makes it unreachable.
    leave: Callable[[], Awaitable[None]] = field(default=AsyncExitStack().aclose)
    # What stands in place of the headers of answers.
    told: dict[str, str] = field(default_factory=dict)
    # Which ranges a container has, where the peer does not tell it as it is for keys of several levels.
    ranges: Any = None
    url: str = ""

    @property
    def of_records(self) -> list[Sent]:
        return [one for one in self.sent if one.is_of_records]

    async def __call__(self, request: web.BaseRequest) -> web.StreamResponse:
        body = await request.read()
        headers = {name.lower(): value for name, value in request.headers.items()}
        sent = Sent(request.method, request.path, headers, json.loads(body) if body else None)
        self.sent.append(sent)
        if sent.is_of_records and (breaking := self.lost if sent.changes else self.unread):
            return await self._lost(breaking.pop(0), request, body, headers)
        if sent.is_of_records and self.planned:
            status, more, document = self.planned.pop(0)
            return web.json_response(document, status=status, headers=more)
        if self.ranges and sent.path.endswith("/pkranges/"):
            is_known = "if-none-match" in headers
            return web.json_response(self.ranges, status=304 if is_known else 200, headers={"etag": "1"})
        return await self._from_peer(request, body, headers)

    async def _lost(
        self, where: Lost, request: web.BaseRequest, body: bytes, headers: dict[str, str]
    ) -> web.StreamResponse:
        if where is not Lost.BEFORE_IT:
            await self._from_peer(request, body, headers)
        begun = web.StreamResponse(headers={"content-length": "1000"})
        if where is Lost.WITHIN_ITS_ANSWER:
            await begun.prepare(request)
            await begun.write(b'{"id": "1", ')
        if request.transport:
            request.transport.close()
        return begun

    async def _from_peer(self, request: web.BaseRequest, body: bytes, headers: dict[str, str]) -> web.StreamResponse:
        passed = {name: value for name, value in headers.items() if name not in _HOP}
        async with (
            aiohttp.ClientSession(auto_decompress=True) as session,
            session.request(request.method, f"{peer()}{request.path_qs}", data=body, headers=passed) as answer,
        ):
            kept = {name: value for name, value in answer.headers.items() if name.lower() not in _HOP}
            return web.Response(body=await answer.read(), status=answer.status, headers={**kept, **self.told})


@asynccontextmanager
async def door_before_the_peer() -> AsyncIterator[Door]:
    door = Door()
    async with AsyncExitStack() as stack:
        door.url, door.leave = await stack.enter_async_context(serving_locally(door)), stack.aclose
        yield door
