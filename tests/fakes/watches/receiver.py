"""What hears notices: real servers over TLS in the names of Teams, Slack and Azure DevOps, and a way there."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from aiohttp import ClientSession, TCPConnector, web

from clients.public_fetch import PublicResolver, session_over
from tests.clients.public_place import PUBLIC, Elsewhere
from tests.fakes.https import certify
from tests.fakes.serving import serving_locally

TEAMS: Final = "prod-1.westeurope.logic.azure.com"
SLACK: Final = "hooks.slack.com"
BOARD: Final = "dev.azure.com"
HOSTS: Final = (TEAMS, SLACK, BOARD)
Answering = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]


async def fine(_request: web.BaseRequest) -> web.StreamResponse:
    return web.Response(status=202)


@dataclass
class Heard:
    """One request, as its receiver has it."""

    host: str
    path: str
    headers: dict[str, str]
    body: bytes


@asynccontextmanager
async def receiving(
    folder: Path, answer: Answering = fine, addresses: list[str] | None = None
) -> AsyncIterator[tuple[list[Heard], Callable[[], ClientSession]]]:
    """What servers in these names hear, and sessions of which every name leads to them: from these addresses."""
    heard: list[Heard] = []

    async def answering(request: web.BaseRequest) -> web.StreamResponse:
        headers = {name.lower(): value for name, value in request.headers.items()}
        heard.append(Heard(request.host.partition(":")[0], request.path_qs, headers, await request.read()))
        return await answer(request)

    certified = certify(folder / "hosts.pem", *HOSTS)
    trusting = ssl.create_default_context(cafile=str(certified.file))
    threads = ThreadPoolExecutor(1)
    async with serving_locally(answering, certified.context) as url:
        port = int(url.rpartition(":")[2])

        def session() -> ClientSession:
            names = PublicResolver(lambda _: addresses or [PUBLIC], threads)
            here = Elsewhere(names, port, [])
            return session_over(TCPConnector(resolver=here, use_dns_cache=False, ssl=trusting))

        yield heard, session
    threads.shutdown()
