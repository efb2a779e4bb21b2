"""A bridge between an invented issuer and a client, with a browser and a person who clicks."""

from __future__ import annotations

import json
import re
import time
from base64 import urlsafe_b64encode
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from html import unescape
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode, urlsplit

import httpx2
from starlette.types import Receive, Scope, Send

from clients.folder_storage import FolderStorage
from clients.public_fetch import FetchedFile
from identity.bridge.app import sign_in_bridge
from identity.bridge.authority import Authority
from identity.bridge.offer import Site
from identity.bridge.sessions import BridgeSessions
from identity.seals import Seals
from refusal import Refusal
from tests.fakes.issuer import AUDIENCE, Issuer, issuing
from tests.fakes.serving import TRUST_IN_NOBODY
from tests.fakes.sign_in import SECRET, SignInPage

ORIGIN: Final = "https://mcp.example.com"
RESOURCE: Final = f"{ORIGIN}/mcp"
SCOPE: Final = "api://11111111-2222-4333-8444-555555555555/access"
KEYS: Final = ("a key of at least thirty-two characters",)
FURTHER: Final = "api://11111111-2222-4333-8444-555555555555/approve"
OTHER: Final = "api://11111111-2222-4333-8444-555555555555/administer"
REDIRECT: Final = "https://client.example.net/oauth/callback"
LOOPBACK: Final = "http://127.0.0.1:33418/callback"
VERIFIER: Final = "the-verifier-of-the-client-which-it-keeps-to-itself"
CHALLENGE: Final = urlsafe_b64encode(sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()
# Of a bridge at which nobody renews anything, so that none is opened.
NO_SESSIONS: Final = BridgeSessions(lambda: FolderStorage(Path("/nowhere")))
PEOPLE: Final = {"User-Agent": "a browser"}


@dataclass
class Clock:
    now: float = field(default_factory=time.time)

    def __call__(self) -> float:
        return self.now


@dataclass
class Web:
    """The documents that clients publish, by address, and which of them were asked for."""

    documents: dict[str, FetchedFile] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    async def __call__(self, url: str, *, largest: int, seconds: float, asker: str) -> FetchedFile:
        self.asked.append(url)
        if url not in self.documents:
            raise Refusal("There is no such document.")
        return self.documents[url]


class Person:
    """A browser with its cookies, and who looks at it. It goes on by itself until there is something to read."""

    def __init__(self, http: httpx2.AsyncClient) -> None:
        self.http = http

    async def visit(self, url: str, **options: Any) -> httpx2.Response:
        return await self._go_on(await self.http.get(url, **options))

    async def answer(self, page: httpx2.Response, decision: str, **headers: str) -> httpx2.Response:
        form = {"consent": consent_on(page), "decision": decision}
        sent = await self.http.post(f"{ORIGIN}/authorize", data=form, headers={"Origin": "null", **headers})
        return await self._go_on(sent)

    async def _go_on(self, response: httpx2.Response) -> httpx2.Response:
        while (onward := next_address(response)) and urlsplit(onward).hostname in {"mcp.example.com", "127.0.0.1"}:
            if onward.startswith("http://127.0.0.1") and "/oauth2/" not in onward:
                break  # a client that listens on this machine
            response = await self.http.get(onward)
        return response


@dataclass
class Bench:
    issuer: Issuer
    page: SignInPage
    clock: Clock
    web: Web
    http: httpx2.AsyncClient
    stack: AsyncExitStack
    apps: list[Any]
    folder: Path

    def switch(self, *apps: Any) -> None:
        """From now on these answer, in turn."""
        self.apps[:] = apps

    def build(
        self, keys: Sequence[str] = KEYS, scope: str = SCOPE, origin: str = ORIGIN, folder: Path | None = None
    ) -> Any:
        return build(self.issuer, keys, self.web, self.clock, folder or self.folder, scope, origin)

    async def person(self) -> Person:
        return Person(await self.stack.enter_async_context(_client(self.apps)))

    async def register(self, *redirects: str, name: str = "Example Client", **more: Any) -> str:
        body = {"redirect_uris": redirects or [REDIRECT], "client_name": name, **more}
        answer = await self.http.post(f"{ORIGIN}/register", json=body)
        assert answer.status_code == 201, answer.text
        return str(answer.json()["client_id"])

    async def signed_in(self, client_id: str, person: Person | None = None, **asked: str) -> dict[str, str]:
        """What the client is told after its user has said yes to everything."""
        person = person or await self.person()
        page = await person.visit(authorize_url(client_id, **asked))
        return told(await person.answer(page, "approve"))

    async def token(self, **form: str) -> httpx2.Response:
        return await self.http.post(f"{ORIGIN}/token", data=form)

    async def redeem(self, client_id: str, code: str, **changed: str) -> httpx2.Response:
        form = {"grant_type": "authorization_code", "client_id": client_id, "code": code}
        return await self.token(**{**form, "redirect_uri": REDIRECT, "code_verifier": VERIFIER, **changed})

    async def renew(self, client_id: str, refresh_token: str, **changed: str) -> httpx2.Response:
        form = {"grant_type": "refresh_token", "client_id": client_id, "refresh_token": refresh_token}
        return await self.token(**{**form, **changed})


@asynccontextmanager
async def bridging() -> AsyncIterator[Bench]:
    page = SignInPage(f"{ORIGIN}/callback", SCOPE)
    async with issuing(page) as issuer, AsyncExitStack() as stack:
        clock, web, apps = Clock(), Web(), list[Any]()
        folder = Path(stack.enter_context(TemporaryDirectory()))
        apps.append(build(issuer, KEYS, web, clock, folder))
        http = await stack.enter_async_context(_client(apps))
        yield Bench(issuer, page, clock, web, http, stack, apps, folder)


def build(
    issuer: Issuer,
    keys: Sequence[str],
    web: Web,
    clock: Clock,
    folder: Path,
    scope: str = SCOPE,
    origin: str = ORIGIN,
) -> Any:
    endpoints = (f"{issuer.origin}{issuer.authorize_path}", f"{issuer.origin}{issuer.token_path}")
    authority = Authority(*endpoints, AUDIENCE, scope, _credential)
    site, sessions = Site("Example Server", origin, [RESOURCE]), BridgeSessions(lambda: FolderStorage(folder), clock)
    return sign_in_bridge(site, authority, Seals(keys, clock), sessions, web)


def authorize_url(client_id: str, **changed: str) -> str:
    """What a client opens. A parameter that is changed to nothing is left out."""
    own = {"client_id": client_id, "redirect_uri": REDIRECT, "response_type": "code", "state": "of the client"}
    pkce = {"code_challenge": CHALLENGE, "code_challenge_method": "S256"}
    parameters = {**own, **pkce, "scope": SCOPE, "resource": RESOURCE, **changed}
    return f"{ORIGIN}/authorize?" + urlencode({name: value for name, value in parameters.items() if value})


def next_address(response: httpx2.Response) -> str | None:
    """Where a browser goes from there by itself."""
    if response.status_code == 302:
        return response.headers["location"]
    found = re.search(r'<meta http-equiv="refresh" content="0; url=([^"]*)"', response.text)
    return unescape(found[1]) if found else None


def offered(page: httpx2.Response) -> str:
    """Where the one link of a page leads, if the person follows it."""
    (link,) = re.findall(r'<a rel="noreferrer" href="([^"]*)"', page.text)
    return unescape(link)


def told(response: httpx2.Response) -> dict[str, str]:
    """What comes with the address to which a client's user is sent back."""
    address = next_address(response)
    assert address is not None, response.text
    return dict(parse_qsl(urlsplit(address).query))


def consent_on(page: httpx2.Response) -> str:
    found = re.search(r'name="consent" value="([^"]*)"', page.text)
    assert found is not None, page.text
    return unescape(found[1])


def document(client_id: str, **changed: Any) -> FetchedFile:
    own: Mapping[str, Any] = {"client_id": client_id, "client_name": "Published", "redirect_uris": [REDIRECT]}
    return FetchedFile("application/json", json.dumps({**own, **changed}).encode())


async def callback_of(bench: Bench, person: Person, client_id: str) -> str:
    """Where the authority sends this person's browser, which has not gone there yet."""
    page = await person.visit(authorize_url(client_id))
    sent = await person.http.post(f"{ORIGIN}/authorize", data={"consent": consent_on(page), "decision": "approve"})
    signed_in = await person.http.get(next_address(sent) or "")
    return next_address(signed_in) or ""


def _client(apps: Sequence[Any]) -> httpx2.AsyncClient:
    turns = cycle(range(10**6))

    async def in_turn(scope: Scope, receive: Receive, send: Send) -> None:
        await apps[next(turns) % len(apps)](scope, receive, send)

    transport = httpx2.ASGITransport(app=in_turn)
    return httpx2.AsyncClient(
        mounts={ORIGIN: transport}, headers=PEOPLE, follow_redirects=False, trust_env=False, verify=TRUST_IN_NOBODY
    )


async def _credential() -> dict[str, str]:
    return {"client_secret": SECRET}
