"""A client of the handshake versions, which is asked in the middle of a call."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from mcp_server.http.conversing import SESSION
from mcp_server.http.endpoint import Endpoint
from mcp_server.http.messages import HttpAnswer, HttpRequest
from tests.mcp_server.caller import LEGACY, Json, message, post


@dataclass
class Stream:
    """What a host would send to the client."""

    parts: asyncio.Queue[str] = field(default_factory=asyncio.Queue)
    headers: Mapping[str, str] | None = None
    is_broken: bool = False

    @property
    def is_open(self) -> bool:
        return self.headers is not None

    async def open(self, headers: Mapping[str, str]) -> None:
        self.headers = headers

    async def send(self, part: str) -> None:
        if self.is_broken:
            raise ConnectionResetError
        self.parts.put_nowait(part)

    async def question(self) -> Json:
        return event(await self.parts.get())


def event(text: str) -> Json:
    kind, data, *_ = text.splitlines()
    assert kind == "event: message"
    return json.loads(data.removeprefix("data: "))


@dataclass
class Client:
    """A client of the handshake versions, and the stream of the call that it is making."""

    endpoint: Endpoint
    headers: Mapping[str, str] = field(default_factory=dict)
    stream: Stream = field(default_factory=Stream)

    async def initialize(self, capabilities: Json) -> HttpAnswer:
        params = {"protocolVersion": LEGACY, "capabilities": capabilities, "clientInfo": {"name": "c", "version": "1"}}
        return await self.send(message("initialize", params, LEGACY, self.headers))

    async def send(self, request: HttpRequest) -> HttpAnswer:
        return await self.endpoint.handle(replace(request, stream=self.stream), "all")

    def calling(self, params: Json) -> asyncio.Task[HttpAnswer]:
        return asyncio.create_task(self.send(message("tools/call", params, LEGACY, self.headers)))

    async def answer(self, question: Json, **reply: Json) -> HttpAnswer:
        document = {"jsonrpc": "2.0", "id": question["id"], **reply}
        return await self.endpoint.handle(post(json.dumps(document).encode(), self.headers))


async def connected(capabilities: Json, endpoint: Endpoint, **headers: str) -> Client:
    client = Client(endpoint, headers)
    begun = await client.initialize(capabilities)
    assert begun.status == 200, begun
    session = begun.headers.get(SESSION)
    named = {SESSION: session} if session else {}
    return replace(client, headers={**headers, **named, "mcp-protocol-version": LEGACY}, stream=Stream())


def result_of(answer: HttpAnswer) -> Json:
    document = event(answer.body.decode()) if answer.body.startswith(b"event") else json.loads(answer.body)
    assert document["id"] == 7
    return document["result"]


def text_of(answer: HttpAnswer) -> str:
    text: str = result_of(answer)["content"][0]["text"]
    return text
