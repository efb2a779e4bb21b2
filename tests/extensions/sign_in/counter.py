"""A counter at which people ask for an extension: an office with pages, and a server that signs people in."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import httpx2
from aiohttp import web

from mcp_server.http.messages import HttpAnswer
from tests.changes.bench import Browser, Office, opened, ticket_on
from tests.extensions.place import entry_of
from tests.fakes.extensions.peer import Peer
from tests.fakes.oauth import OAuthServer
from tests.fakes.serving import TRUST_IN_NOBODY
from tests.mcp_server import office
from tools.extensions import toolset as ours

PATH: Final = "/extensions/stage"
ADA: Final[Mapping[str, Any]] = {"roles": ["Actor"]}
BEA: Final[Mapping[str, Any]] = {
    "roles": ["Actor"],
    "oid": "0b1ec7ed-0000-4000-8000-0000000000ff",
    "preferred_username": "bea@example.com",
}
ROLES: Final = """
external: [stage]
roles:
  Visitor:
    office: read
  Actor:
    stage: read
  Director:
    stage: read
    extensions: destroy
"""
CONSENT: Final = "tools: {'*': read}\nsign-in: {kind: consent}"


@dataclass
class SignedPeer(Peer):
    """It lets in whoever its issuer gave a token, and is both of them."""

    issuer: OAuthServer = field(default_factory=OAuthServer)

    def _lets_in(self, request: web.Request) -> bool:
        return "Authorization" in request.headers and self.issuer.lets_in(request.headers)

    def subjects(self) -> int:
        """By how many tokens it was called."""
        return len({sent["authorization"] for sent in self.headers if "authorization" in sent})


@dataclass
class Counter:
    office: Office
    peer: SignedPeer

    async def agreed(self, page: HttpAnswer) -> str:
        """Go on to the issuer from the page that leads there, and give the path to which it sends the browser back."""
        return back_from(await self.at_issuer(page))

    async def at_issuer(self, page: HttpAnswer) -> str:
        return await sent_on(onward_on(page))

    async def begun(self, browser: Browser) -> HttpAnswer:
        page = await browser.visit(PATH)
        return await browser.post(PATH, {"ticket": ticket_on(page), "decision": "begin"})

    async def signed_in(self, browser: Browser) -> HttpAnswer:
        return await browser.visit(await self.agreed(await self.begun(browser)))

    async def let_in(self) -> None:
        """Have the director sign in, and let in what the extension offers."""
        director = {**ADA, "roles": ["Director"], "oid": "0b1ec7ed-0000-4000-8000-0000000000dd"}
        await self.signed_in(self.office.browser(**director))
        await self.office.app.catalogs.begun()
        agreed = await self.office.client(**director).agreed("update_extension", name="stage")
        assert not agreed["isError"], agreed


def onward_on(page: HttpAnswer) -> str:
    found = re.search(r'class="button" href="([^"]+)"', page.body.decode())
    assert found, page.body.decode()
    return unescape(found[1])


async def sent_on(url: str) -> str:
    async with httpx2.AsyncClient(trust_env=False, verify=TRUST_IN_NOBODY) as http:
        answer = await http.get(url)
    assert answer.status_code == 302, answer.text
    return str(answer.headers["location"])


def back_from(location: str) -> str:
    parts = urlsplit(location)
    return f"{parts.path}?{parts.query}"


@asynccontextmanager
async def signed_peer() -> AsyncIterator[SignedPeer]:
    peer = SignedPeer()
    app = web.Application()
    app.router.add_post("/mcp", peer.answer)
    app.router.add_route("*", "/{path:.*}", peer.issuer.answer)
    runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    origin = f"http://127.0.0.1:{runner.addresses[0][1]}"
    peer.url = peer.issuer.url = f"{origin}/mcp"
    peer.issuer.issuer = f"{origin}/tenant"
    try:
        yield peer
    finally:
        await runner.cleanup()


@asynccontextmanager
async def counter(folder: Path, more: str = CONSENT, **settings: str) -> AsyncIterator[Counter]:
    async with signed_peer() as peer:
        file = folder / "extensions.yaml"
        file.write_text(f"extensions:\n{entry_of(peer, more)}", encoding="utf-8")
        own = {"EXTENSIONS_FILE": str(file)}
        async with opened(folder, ROLES, (*office.TOOLSETS, ours), **{**own, **settings}) as there:
            yield Counter(there, peer)
