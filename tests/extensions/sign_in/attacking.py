"""What attacks on a sign-in have in common: bad addresses and answers, and what must not come of them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Final

import pytest
from aiohttp import web

from extensions.sign_in.sign_ins import ConsentNeededError
from refusal import Refusal
from tests.extensions.sign_in.desk import ADA, BEA, BROWSER, Desk, Entry
from tests.fakes.oauth import LOGIN, MCP

ENTRY: Final = Entry()
NAME_OF_KEY: Final = "extension-bakery-key"
RESOURCE: Final = f"{MCP}/.well-known/oauth-protected-resource/mcp"
METADATA: Final = f"{LOGIN}/.well-known/oauth-authorization-server/tenant"
PRIVATE: Final = (
    "http://169.254.169.254/token",
    "https://127.0.0.1/token",
    "https://[::1]/token",
    "https://10.0.0.1/t",
)
ODD: Final = (
    *PRIVATE,
    "https://login.example.com:8443/t",
    "https://login.example.com@evil.example.net/t",
    "ftp://a.b/t",
)


async def nobody_can_begin(desk: Desk) -> None:
    with pytest.raises(Refusal):
        await desk.begun(desk.instance(), ENTRY)
    assert not desk.server.grants


async def is_lost(desk: Desk, brought: Mapping[str, str]) -> None:
    with pytest.raises(Refusal, match="Nothing was changed"):
        await desk.instance().consenting.finish(ENTRY, ADA, BROWSER, brought)


async def nobody_is_signed_in(desk: Desk) -> None:
    for person in (ADA, BEA):
        with pytest.raises(ConsentNeededError):
            await desk.instance().headers(ENTRY, person)


def telling(document: object) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
    async def answer(_request: web.Request) -> web.StreamResponse:
        return web.json_response(document)

    return answer
