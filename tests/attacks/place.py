"""An app that strangers and people attack through its public doors, and what an attack must not gain."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from app.build import App
from app.pages import AppPages
from mcp_server.http.messages import HttpAnswer, HttpRequest
from tests.fakes.issuer import AUDIENCE, SCOPE, TENANT, Issuer, issuing
from tests.mcp_server.caller import Caller
from tests.offline import app_of, offline

HOST: Final = "localhost:7071"
KEY: Final = "marked-key-of-the-app-0123456789"
OLD_KEY: Final = "marked-key-of-earlier-0123456789"
LARGEST_REFUSAL: Final = 16 * 1024
# What is in no answer, whoever asks for whatever.
_INSIDE: Final = (b"Traceback", b'.py"', b"pydantic", b"site-packages", KEY.encode(), OLD_KEY.encode())


@dataclass
class Place:
    app: App
    issuer: Issuer
    _addresses: count[int] = field(default_factory=count)

    @property
    def pages(self) -> AppPages:
        return AppPages(self.app)

    async def get(self, address: str, method: str = "GET", **headers: str) -> HttpAnswer:
        """What is at an address. Underscores in names of headers stand for hyphens."""
        parts = urlsplit(address)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        # From ever other networks: what is limited by these is not what is attacked.
        address = f"2001:db8:{next(self._addresses):x}::9"
        request = HttpRequest(method, parts.path, {"host": HOST, **named}, b"", parts.query, address)
        if parts.path == "/health":
            return await self.pages.health(request)
        if parts.path.startswith("/updates."):
            return await self.pages.updates(request, parts.path.rpartition(".")[2])
        return await self.pages.directions(request)

    def bearing(self, **claims: Any) -> dict[str, str]:
        return {"authorization": f"Bearer {self.issuer.token(**claims)}"}

    def caller(self, toolsets: str | None = "all", headers: Mapping[str, str] | None = None, **claims: Any) -> Caller:
        """Somebody who has signed in, with these claims."""
        return Caller(self.app.endpoint, toolsets, {**self.bearing(**claims), **(headers or {})})

    async def token(self, **claims: Any) -> str:
        """What the personal addresses of somebody carry."""
        result = await self.caller("azure-updates", **claims).call("get_azure_updates_feeds")
        return str(result["structuredContent"]["table"]).partition("feed=")[2]


@asynccontextmanager
async def attacked(folder: Path, **settings: str) -> AsyncIterator[Place]:
    """An app with sign-in. Nothing is limited in it, so that attacks do not hide one another."""
    async with issuing() as issuer:
        own = {
            "AUTH_MODE": "oauth",
            "AUTH_ISSUER": issuer.url,
            "AUTH_AUDIENCE": AUDIENCE,
            "AUTH_SCOPE": SCOPE,
            "AUTH_ALLOWED_TENANTS": TENANT,
            "MCP_REQUEST_STATE_KEY": KEY,
            "RATE_LIMIT_PER_CALLER": "0",
            "RATE_LIMIT_PER_ADDRESS": "0",
        }
        app = app_of(offline(folder) | own | settings)
        yield Place(app, issuer)
        await app.close()


def gains_nothing(answer: HttpAnswer, *statuses: int, largest: int = LARGEST_REFUSAL) -> None:
    """It was refused as a mistake of the caller, in few words that tell nothing of the inside."""
    assert answer.status in statuses, (answer.status, answer.body[:500])
    tells_nothing_of_the_inside(answer)
    assert len(answer.body) <= largest


def tells_nothing_of_the_inside(answer: HttpAnswer) -> None:
    everything = answer.body + repr(answer.headers).encode()
    assert [inside for inside in _INSIDE if inside in everything] == []
    assert not any("\r" in value or "\n" in value for value in answer.headers.values())
