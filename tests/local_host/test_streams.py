"""A function can send parts of its answer before it returns the rest, which the platform does not offer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from aiohttp import ClientSession

from tests.local_host.sample import WriteApp
from tests.warm.app import running

ASKING = """
import asyncio
from answer_stream import OFFERED

heard, gone = asyncio.Event(), []

@app.route("ask", methods=["POST"])
async def ask(req: func.HttpRequest) -> func.HttpResponse:
    stream = OFFERED.get()
    await stream.open({"x-more": "yes"})
    await stream.send("data: question\\n\\n")
    await heard.wait()
    return func.HttpResponse("data: answer\\n\\n", mimetype="text/event-stream")

@app.route("hear", methods=["POST"])
async def hear(req: func.HttpRequest) -> func.HttpResponse:
    heard.set()
    return func.HttpResponse(status_code=202)

@app.route("keep", methods=["POST"])
async def keep(req: func.HttpRequest) -> func.HttpResponse:
    stream = OFFERED.get()
    await stream.open({})
    try:
        while True:
            await stream.send(": sign\\n\\n" * 1000)
            await asyncio.sleep(0)
    except ConnectionError:
        heard.set()
    return func.HttpResponse("data: nobody\\n\\n")

@app.route("await", methods=["GET"])
async def await_end(req: func.HttpRequest) -> func.HttpResponse:
    await heard.wait()
    return func.HttpResponse("heard")

@app.route("fail", methods=["POST"])
async def fail(req: func.HttpRequest) -> func.HttpResponse:
    await OFFERED.get().open({})
    await OFFERED.get().send("data: question\\n\\n")
    raise ValueError("broken")
"""


@pytest.fixture
async def client(write_app: WriteApp) -> AsyncIterator[ClientSession]:
    async with running(write_app(ASKING)) as url, ClientSession(f"{url}/api/") as session:
        yield session


async def test_a_part_arrives_before_the_rest_is_there(client: ClientSession) -> None:
    async with client.post("ask") as response:
        assert (response.status, response.headers["x-more"]) == (200, "yes")
        assert response.content_type == "text/event-stream"
        assert await response.content.readuntil(b"\n\n") == b"data: question\n\n"
        assert (await client.post("hear")).status == 202
        assert await response.content.read() == b"data: answer\n\n"


async def test_a_function_learns_that_its_client_has_gone(client: ClientSession) -> None:
    async with client.post("keep") as response:
        await response.content.readany()
        response.close()
    assert await (await client.get("await")).text() == "heard"


async def test_a_function_that_fails_ends_what_it_has_begun(client: ClientSession) -> None:
    async with asyncio.timeout(20), client.post("fail") as response:
        assert response.status == 200
        assert await response.content.read() == b"data: question\n\n"
