"""An invented library, whose tools ask the model of the client, and clients that have one."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Annotated, Any, Final

import httpx2
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CreateMessageRequestParams, CreateMessageResult, TextContent
from pydantic import Field

from mcp_server.calls.sampling import ModelQuestion, ask_model, ask_model_each, can_ask_model
from mcp_server.declarations.toolset import Access, Toolset
from mcp_server.http.endpoint import Endpoint
from mcp_server.http.messages import HttpRequest
from mcp_server.protocol.results import InputRequired
from mcp_server.visit import Context

books = Toolset("books", "Read the books of the library.")
Retold = Annotated[list[str], Field(description="What to retell")]

MOST_TOKENS: Final = 10


@books.tool(Access.READ)
async def retell(context: Context, text: str) -> dict[str, Any] | InputRequired:
    """Retell a text, by a model where the client has one."""
    if not can_ask_model(context):
        return {"told": text, "by": "nobody"}
    told = await ask_model(context, system="Retell.", text=text, most_tokens=MOST_TOKENS)
    return told if isinstance(told, InputRequired) else {"told": told, "by": "a model"}


@books.tool(Access.READ)
async def retell_each(
    context: Context, texts: Retold, most_tokens: int = MOST_TOKENS
) -> dict[str, Any] | InputRequired:
    """Retell several texts, all at once."""
    asked = [ModelQuestion("Retell.", text, most_tokens) for text in texts]
    told = await ask_model_each(context, asked)
    return told if isinstance(told, InputRequired) else {"told": told}


@books.tool(Access.READ)
async def retell_in_turn(context: Context, texts: Retold) -> dict[str, Any] | InputRequired:
    """Retell several texts, one after the other."""
    told = ""
    for text in texts:
        answer = await ask_model(context, system="Go on.", text=told + text, most_tokens=MOST_TOKENS)
        if isinstance(answer, InputRequired):
            return answer
        told += f"{answer} "
    return {"told": told}


@books.tool(Access.WRITE)
async def rewrite(context: Context, text: str) -> dict[str, Any] | InputRequired:
    """Rewrite a text."""
    return {"asks": can_ask_model(context), "text": text}


class Model:
    """Shouts what it is told, and remembers it."""

    def __init__(self, says: Callable[[str], str] = str.upper) -> None:
        self.asked: list[str] = []
        self.systems: list[str | None] = []
        self._says = says

    async def __call__(self, context: Any, params: CreateMessageRequestParams) -> CreateMessageResult:
        content = params.messages[0].content
        assert isinstance(content, TextContent)
        self.asked.append(content.text)
        self.systems.append(params.system_prompt)
        said = TextContent(type="text", text=self._says(content.text))
        return CreateMessageResult(role="assistant", content=said, model="shouter")


@asynccontextmanager
async def client_of(endpoint: Endpoint, model: Model | None, mode: str = "2026-07-28") -> AsyncIterator[Client]:
    """A client over HTTP to the library, of the version of the protocol that `mode` names."""

    async def answered(request: httpx2.Request) -> httpx2.Response:
        headers = {name.lower(): value for name, value in request.headers.items()}
        sent = HttpRequest(request.method, request.url.path, headers, await request.aread())
        answer = await endpoint.handle(sent, None)
        return httpx2.Response(answer.status, content=answer.body, headers=dict(answer.headers))

    transport = httpx2.MockTransport(answered)
    async with (
        httpx2.AsyncClient(transport=transport) as http,
        Client(
            streamable_http_client("http://localhost:7071/mcp", http_client=http), mode=mode, sampling_callback=model
        ) as client,
    ):
        yield client
