"""An MCP server and the issuer of its tokens, at names of the internet: registration, PKCE, rotation, revocation."""

from __future__ import annotations

import ssl
from base64 import b64decode, urlsafe_b64encode
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from secrets import token_urlsafe
from socket import AF_INET, AddressFamily
from tempfile import TemporaryDirectory
from typing import Any, Final
from urllib.parse import parse_qsl, unquote_plus, urlencode, urlsplit

from aiohttp import ClientSession, TCPConnector, web
from aiohttp.abc import AbstractResolver, ResolveResult

from clients.public_fetch import session_over
from tests.fakes.https import certify
from tests.fakes.serving import serving_locally

MCP: Final = "mcp.example.com"
LOGIN: Final = "login.example.com"
OTHERS: Final = ("evil.example.net", "tokens.example.org", "new.example.com")
URL: Final = f"https://{MCP}/mcp"
ISSUER: Final = f"https://{LOGIN}/tenant"
SECONDS: Final = 3600
Json = dict[str, Any]
Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass
class Family:
    """All that one sign-in gave. Its tokens are good until one of them was used that had been replaced."""

    client: str
    resource: str
    scope: str
    access: str = ""
    refresh: str = ""
    is_void: bool = False


@dataclass
class OAuthServer:
    """What it publishes may be changed while it runs; `instead` answers at a host and path in its place."""

    url: str = URL
    issuer: str = ISSUER
    about_resource: Json = field(default_factory=dict)
    about_issuer: Json = field(default_factory=dict)
    registers: Json = field(default_factory=dict)
    status_of_registering: int = 201
    clients: dict[str, Json] = field(default_factory=dict)
    codes: dict[str, Json] = field(default_factory=dict)
    families: list[Family] = field(default_factory=list)
    instead: dict[str, Answer] = field(default_factory=dict)
    grants: list[Json] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    heard: list[str] = field(default_factory=list)
    rotates: bool = True
    seconds: int = SECONDS
    # Tokens that were replaced, so that their second use is known for one.
    replaced: dict[str, Family] = field(default_factory=dict)
    sessions: Callable[[], ClientSession] = field(init=False)

    @property
    def base(self) -> str:
        return urlsplit(self.issuer).path

    @property
    def login(self) -> str:
        return LOGIN if self.url == URL else urlsplit(self.issuer).netloc

    async def answer(self, request: web.Request) -> web.StreamResponse:
        where = f"{request.host}{request.path}"
        self.asked.append(f"{request.method} {where}")
        self.heard.append(f"{request.raw_path} {request.headers} {await request.text()}")
        if where in self.instead:
            return await self.instead[where](request)
        routes: dict[str, Answer] = {
            f"GET {urlsplit(self.url).netloc}/.well-known/oauth-protected-resource/mcp": self._resource,
            f"GET {self.login}/.well-known/oauth-authorization-server{self.base}": self._metadata,
            f"POST {self.login}{self.base}/register": self._register,
            f"GET {self.login}{self.base}/authorize": self._authorize,
            f"POST {self.login}{self.base}/token": self.token,
            f"POST {self.login}{self.base}/revoke": self._revoke,
        }
        route = routes.get(f"{request.method} {where}")
        return await route(request) if route else web.Response(status=404)

    def lets_in(self, headers: Any) -> bool:
        """Whether the MCP server takes the token of a request."""
        token = headers["Authorization"].removeprefix("Bearer ")
        return any(one.access == token and one.resource == self.url and not one.is_void for one in self.families)

    async def _resource(self, _request: web.Request) -> web.Response:
        return web.json_response({"resource": self.url, "authorization_servers": [self.issuer], **self.about_resource})

    async def _metadata(self, _request: web.Request) -> web.Response:
        return web.json_response(
            {
                "issuer": self.issuer,
                "authorization_endpoint": f"{self.issuer}/authorize",
                "token_endpoint": f"{self.issuer}/token",
                "registration_endpoint": f"{self.issuer}/register",
                "revocation_endpoint": f"{self.issuer}/revoke",
                "code_challenge_methods_supported": ["S256"],
                "token_endpoint_auth_methods_supported": ["none", "client_secret_basic", "client_secret_post"],
                "authorization_response_iss_parameter_supported": True,
                **self.about_issuer,
            }
        )

    async def _register(self, request: web.Request) -> web.Response:
        client = token_urlsafe(8)
        self.clients[client] = {**await request.json(), "client_id": client, **self.registers}
        return web.json_response(self.clients[client], status=self.status_of_registering)

    async def _authorize(self, request: web.Request) -> web.Response:
        asked = dict(request.query)
        known = self.clients.get(asked["client_id"])
        if not known or asked["redirect_uri"] not in known["redirect_uris"] or asked["code_challenge_method"] != "S256":
            return web.Response(status=400)
        code = token_urlsafe(12)
        self.codes[code] = asked
        back = {"code": code, "state": asked["state"], "iss": self.issuer}
        return web.Response(status=302, headers={"location": f"{asked['redirect_uri']}?{urlencode(back)}"})

    async def token(self, request: web.Request) -> web.Response:
        form = {key: str(value) for key, value in (await request.post()).items()}
        self.grants.append(form)
        client = self._client(request, form)
        if client is None:
            return _error("invalid_client", 401)
        match form["grant_type"]:
            case "authorization_code":
                return self._redeemed(form, client)
            case "refresh_token":
                return self._renewed(form, client)
            case _:
                return self._given(Family(client, form["resource"], form.get("scope", "")), with_refresh=False)

    def _client(self, request: web.Request, form: Json) -> str | None:
        proof = request.headers.get("Authorization", "").removeprefix("Basic ")
        pair = (
            b64decode(proof).decode().split(":")
            if proof
            else [form.get("client_id", ""), form.get("client_secret", "")]
        )
        name, secret = map(unquote_plus, pair) if proof else pair
        known = self.clients.get(name)
        return name if known is not None and known.get("client_secret", "") == secret else None

    def _redeemed(self, form: Json, client: str) -> web.Response:
        asked = self.codes.pop(form["code"], None)
        proven = urlsafe_b64encode(sha256(form["code_verifier"].encode()).digest()).decode().rstrip("=")
        if asked is None or (asked["client_id"], asked["redirect_uri"]) != (client, form["redirect_uri"]):
            return _error("invalid_grant")
        if proven != asked["code_challenge"] or asked["resource"] != form["resource"]:
            return _error("invalid_grant")
        return self._given(Family(client, asked["resource"], asked.get("scope", "")))

    def _renewed(self, form: Json, client: str) -> web.Response:
        if stolen := self.replaced.get(form["refresh_token"]):
            stolen.is_void = True
            return _error("invalid_grant")
        for family in self.families:
            if (family.refresh, family.client, family.is_void) == (form["refresh_token"], client, False):
                return self._given(family)
        return _error("invalid_grant")

    def _given(self, family: Family, *, with_refresh: bool = True) -> web.Response:
        if family not in self.families:
            self.families.append(family)
        family.access = token_urlsafe(12)
        if with_refresh and (self.rotates or not family.refresh):
            if family.refresh:
                self.replaced[family.refresh] = family
            family.refresh = token_urlsafe(12)
        refresh = {"refresh_token": family.refresh} if with_refresh else {}
        return web.json_response(
            {"access_token": family.access, "token_type": "bearer", "expires_in": self.seconds, **refresh}
        )

    async def _revoke(self, request: web.Request) -> web.Response:
        token = (await request.post())["token"]
        for family in self.families:
            if token in {family.access, family.refresh}:
                family.is_void = True
        return web.Response()


def _error(error: str, status: int = 400) -> web.Response:
    return web.json_response({"error": error, "error_description": "what-the-issuer-says"}, status=status)


def back(url: str) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(url).query))


class _AllHere(AbstractResolver):
    def __init__(self, port: int) -> None:
        self._port = port

    async def resolve(self, host: str, port: int = 0, family: AddressFamily = AF_INET) -> list[ResolveResult]:
        del port, family
        return [ResolveResult(hostname=host, host="127.0.0.1", port=self._port, family=AF_INET, proto=0, flags=0)]

    async def close(self) -> None:
        """Nothing is open."""


@asynccontextmanager
async def oauth_server() -> AsyncIterator[OAuthServer]:
    server = OAuthServer()
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", server.answer)
    own, trust = _contexts()
    async with serving_locally(app, own) as address:
        port = urlsplit(address).port or 0
        server.sessions = partial(_session, port, trust)
        yield server


@cache
def _contexts() -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """That of the server, and that of clients who trust it: a certificate for all tests."""
    trust = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    with TemporaryDirectory() as folder:
        certified = certify(Path(folder, "names.pem"), MCP, LOGIN, *OTHERS)
        trust.load_verify_locations(certified.file)
        return certified.context, trust


def _session(port: int, trust: ssl.SSLContext) -> ClientSession:
    return session_over(TCPConnector(resolver=_AllHere(port), ssl=trust, use_dns_cache=False))


def nowhere() -> ClientSession:
    """A session that finds nobody at any address."""
    return session_over(TCPConnector(resolver=_AllHere(9), use_dns_cache=False))
