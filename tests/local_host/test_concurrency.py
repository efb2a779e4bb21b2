"""Many requests at once."""

from __future__ import annotations

import asyncio

from aiohttp import ClientSession, TCPConnector

from tests.local_host.sample import SAMPLE, SETTINGS
from tests.warm.app import running

CLIENTS = 100


async def test_a_hundred_requests_are_under_way_at_once_from_the_very_first() -> None:
    async with (
        running(SAMPLE, settings=SETTINGS) as url,
        ClientSession(url, connector=TCPConnector(limit=CLIENTS)) as client,
    ):

        async def arrive() -> object:
            async with client.get(f"/arrive/{CLIENTS}") as response:
                return await response.json()

        assert await asyncio.gather(*(arrive() for _ in range(CLIENTS))) == [CLIENTS] * CLIENTS


async def test_a_hundred_clients_keep_their_connections_and_get_their_own_answers(sample: str) -> None:
    async def many_requests(number: int) -> list[str]:
        async with ClientSession(sample, connector=TCPConnector(limit=1)) as client:
            answers = []
            for count in range(10):
                async with client.post(f"/echo/{number}/{count}", data=f"{number}.{count}") as response:
                    content = await response.json()
                    answers.append(f"{content['route']['rest']} {content['body']}")
            return answers

    expected = [[f"{number}/{count} {number}.{count}" for count in range(10)] for number in range(CLIENTS)]
    assert await asyncio.gather(*map(many_requests, range(CLIENTS))) == expected


async def test_synchronous_and_asynchronous_functions_share_the_host(sample: str) -> None:
    async with ClientSession(sample) as client:

        async def invocation(path: str) -> str:
            async with client.get(path) as response:
                content = await response.json()
                return str(content[1] if isinstance(content, list) else content)

        ids = await asyncio.gather(*(invocation(path) for path in ("/thread", "/log/x") * 50))
    assert len(set(ids)) == 100
