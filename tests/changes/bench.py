"""The invented office behind its pages: people with browsers, callers with clients, and an issuer for both."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from html import unescape
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlencode, urlsplit

import httpx2

from app.build import App, build
from app.pages import AppPages
from identity.platform_sign_in import SESSION_COOKIE
from mcp_server.declarations.toolset import Toolset
from mcp_server.http.messages import HttpAnswer, HttpRequest
from settings import Settings
from tests.fakes.issuer import AUDIENCE, Issuer, issuing
from tests.fakes.serving import TRUST_IN_NOBODY
from tests.fakes.sign_in import SECRET, SignInPage
from tests.identity.principals import principal, principal_headers
from tests.mcp_server import office
from tests.mcp_server.caller import Caller
from tests.offline import offline
from tools import PROVIDERS

HOST: Final = "office.example.com"
ORIGIN: Final = f"https://{HOST}"
SCOPE: Final = f"api://{AUDIENCE}/access"
OTHER: Final = "0b1ec7ed-0000-4000-8000-0000000000ff"
ADA: Final[Mapping[str, Any]] = {"roles": ["Bricklayer"]}
BEA: Final[Mapping[str, Any]] = {"roles": ["Bricklayer"], "oid": OTHER, "preferred_username": "bea@example.com"}
# The attic asks whoever asked, the cellar another person, the vault one of a role who has just signed in, and the safe
# whoever asked, if they have just signed in.
ROLES: Final = """
signed-in:
  clock: read
roles:
  Visitor:
    office: read
  Bricklayer:
    office: destroy
  Keeper:
    office: read
agents:
  for-people:
    all: destroy
changes:
- in: {project: cellar}
  ask: another
- in: {project: vault}
  ask: another
  of: [Keeper]
  fresh: 10
- in: {project: safe}
  ask: caller
  fresh: 10
"""
BRICK: Final = "brick_up_door"


@dataclass
class Office:
    app: App
    issuer: Issuer
    page: SignInPage

    def __post_init__(self) -> None:
        self.pages = AppPages(self.app)

    def browser(self, **claims: Any) -> Browser:
        return Browser(self, claims)

    def client(self, **claims: Any) -> Caller:
        token = self.issuer.token(**{"scp": "access", **claims})
        return Caller(self.app.endpoint, "all", {"host": HOST, "authorization": f"Bearer {token}"})

    async def asked(self, room: str, **claims: Any) -> str:
        """Ask for a door to be bricked up, and give the path of the page where that is decided."""
        return path_in(await self.client(**(claims or ADA)).told(BRICK, room=room))

    def request(self, method: str, path: str, headers: Mapping[str, str], body: bytes = b"") -> HttpRequest:
        return HttpRequest(method, path, headers, body, "", "192.0.2.7")

    async def answer(self, request: HttpRequest) -> HttpAnswer:
        """What the function of the route answers."""
        first, *more = map(unquote, request.path.split("/")[1:])
        pages = self.pages
        routes: Mapping[str, Callable[..., Awaitable[HttpAnswer]]] = {
            "": pages.directions,
            "changes": pages.change if more else pages.changes,
            "extensions": pages.extension,
            "extension-client.json": pages.extension_client,
            "assets": pages.asset,
            "updates": pages.update if more else pages.found_updates,
            "updates.pdf": partial(pages.updates, form="pdf"),
            "retirements": pages.retirements,
            "calendar": pages.calendar,
            "here": pages.here,
            "connect": pages.connect,
        }
        if first == "extension-callback":
            return await pages.extension_callback(request)
        return await routes.get(first, pages.sign_in)(request, *more[:1])


@dataclass
class Browser:
    """Keeps cookies, follows where it is sent, and says what browsers say. Its person is who signs in with it."""

    office: Office
    claims: Mapping[str, Any] = field(default_factory=dict)
    # What the ID token of a sign-in says instead.
    of_id_token: Mapping[str, Any] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    cookies: dict[str, str] = field(default_factory=dict)
    host: str = HOST

    @property
    def origin(self) -> str:
        return f"{'http' if self.host.startswith('localhost') else 'https'}://{self.host}"

    async def get(self, path: str, **headers: str) -> HttpAnswer:
        """One request, wherever it leads."""
        return await self.send("GET", path, b"", headers)

    async def visit(self, path: str) -> HttpAnswer:
        """What is there in the end, after signing in where that is asked for."""
        answer = await self.get(path)
        while 300 <= answer.status < 400:
            where = answer.headers["location"]
            answer = await self.get(await self.past_the_authority(where) if "://" in where else where)
        return answer

    async def signed_in(self) -> Browser:
        assert (await self.visit("/changes")).status == 200
        return self

    async def post(self, path: str, form: Mapping[str, str], **headers: str) -> HttpAnswer:
        told = {
            "content-type": "application/x-www-form-urlencoded",
            "sec-fetch-site": "same-origin",
            "origin": self.origin,
        }
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        kept = {name: value for name, value in {**told, **given}.items() if value}
        return await self.send("POST", path, urlencode(form).encode(), kept)

    async def decides(self, path: str, decision: str, why: str = "") -> HttpAnswer:
        """Look at the page, and send its form."""
        page = await self.visit(path)
        return await self.post(path, {"ticket": ticket_on(page), "decision": decision, "why": why})

    async def send(self, method: str, path: str, body: bytes, headers: Mapping[str, str]) -> HttpAnswer:
        cookie = (
            {"cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())} if self.cookies else {}
        )
        parts = urlsplit(path)
        own = {"host": self.host, "content-length": str(len(body)), **cookie, **self.headers, **headers}
        request = HttpRequest(method, parts.path, own, body, parts.query, "192.0.2.7")
        answer = await self.office.answer(request)
        if set_cookie := answer.headers.get("set-cookie"):
            name, _, value = set_cookie.partition(";")[0].partition("=")
            self.cookies[name] = value
        return answer

    async def past_the_authority(self, url: str) -> str:
        """Sign in at the issuer as the person of this browser, and give the path to which it is sent back."""
        self.office.page.token = lambda: self.office.issuer.token(**{"scp": "access", **self.claims})
        self.office.page.id_token = lambda **asked: self.office.issuer.id_token(
            **{**self.claims, **asked, **self.of_id_token}
        )
        async with httpx2.AsyncClient(trust_env=False, verify=TRUST_IN_NOBODY) as http:
            answer = await http.get(url)
        assert answer.status_code == 302, answer.text
        parts = urlsplit(answer.headers["location"])
        assert f"{parts.scheme}://{parts.netloc}" == ORIGIN
        return f"{parts.path}?{parts.query}"


@asynccontextmanager
async def opened(
    folder: Path, roles_are: str = ROLES, toolsets: Sequence[Toolset] = office.TOOLSETS, /, **settings: str
) -> AsyncIterator[Office]:
    """The office in mode `oauth` with the bridge, unless settings say otherwise."""
    roles = folder / "roles.yaml"
    roles.write_text(roles_are, encoding="utf-8")
    page = SignInPage(f"{ORIGIN}/callback", SCOPE)
    async with issuing(page) as issuer:
        own = {
            "AUTH_MODE": "oauth",
            "AUTH_ISSUER": issuer.url,
            "AUTH_AUDIENCE": AUDIENCE,
            "AUTH_SCOPE": SCOPE,
            "AUTH_BRIDGE_CLIENT_ID": AUDIENCE,
            "AUTH_BRIDGE_CLIENT_SECRET": SECRET,
            "AUTH_ROLES_FILE": str(roles),
            "MCP_REQUEST_STATE_KEY": "k" * 32,
            "MCP_ALLOWED_HOSTS": HOST,
            "MCP_CONFIRM_BY_ARGUMENT": "false",
        }
        groups = [provider.settings for provider in PROVIDERS]
        given = Settings.from_environment(offline(folder) | own | settings, groups)
        app = build(given, toolsets=toolsets, surface=office.SURFACE)
        try:
            yield Office(app, issuer, page)
        finally:
            await app.close()


def path_in(words: str) -> str:
    """The path of the page that an answer names."""
    found = re.search(r"/changes/[\w-]+", unquote(words))
    assert found, words
    return found[0]


def ticket_on(page: HttpAnswer) -> str:
    found = re.search(r'name="ticket" value="([^"]+)"', page.body.decode())
    assert found, page.body.decode()
    return unescape(found[1])


def text_of(page: HttpAnswer) -> str:
    """What a person reads, without marks, in one line."""
    within = re.sub(r"</?(bdi|span|strong|em|a|del|ins|time)\b[^>]*>", "", page.body.decode())
    return " ".join(unescape(re.sub(r"<title>.*?</title>|<[^>]*>", " ", within)).split())


def behind_platform(**changed: str) -> dict[str, str]:
    """The header of App Service for somebody who signed in with a browser, who has no scope."""
    long = {"oid": "http://schemas.microsoft.com/identity/claims/objectidentifier"}
    claims = [(long.get(name, name), value) for name, value in changed.items()]
    replaced = [long.get(name, name).rpartition("/")[2] for name in changed]
    return principal_headers(principal(*claims, without=("scope", *replaced)))


def at_app_service(office: Office, **claims: str) -> Browser:
    """A browser that App Service has signed in, which it knows again by its cookie."""
    return Browser(office, headers=behind_platform(**claims), cookies={SESSION_COOKIE: "opaque"})


in_mode_platform: Final = {"AUTH_MODE": "platform", "WEBSITE_AUTH_ENABLED": "true", "AUTH_BRIDGE_CLIENT_ID": ""}
at_the_laptop: Final = {"AUTH_MODE": "none", "AUTH_BRIDGE_CLIENT_ID": ""}
