"""Plays Microsoft Entra ID for one tenant, or any plain OpenID issuer: discovery, keys, tokens and their endpoint."""

from __future__ import annotations

import json
import socket
import time
from base64 import urlsafe_b64encode
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final
from uuid import uuid4

import jwt
from aiohttp import web
from aiohttp.typedefs import Handler
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key
from jwt.algorithms import RSAAlgorithm

TENANT: Final = "7e7a7700-0000-4000-8000-00000000aaaa"
AUDIENCE: Final = "11111111-2222-4333-8444-555555555555"  # the client id of the app, as in v2 tokens
SCOPE: Final = "mcp.access"
USER: Final = "0b1ec7ed-0000-4000-8000-000000000001"
CLIENT: Final = "c11e7000-0000-4000-8000-000000000002"
LIFETIME: Final = 3600
MULTI_TENANT: Final = {"common", "organizations"}

Grant = Callable[[dict[str, str]], Awaitable[web.Response]]


@dataclass(frozen=True)
class Seen:
    method: str
    path: str
    query: Mapping[str, str]
    form: Mapping[str, str]
    headers: Mapping[str, str]


@dataclass(frozen=True)
class SigningKey:
    kid: str
    private: RSAPrivateKey

    @property
    def public_jwk(self) -> dict[str, Any]:
        return {**RSAAlgorithm.to_jwk(self.private.public_key(), as_dict=True), "kid": self.kid, "use": "sig"}


@cache
def signing_key(owner: str, generation: int) -> SigningKey:
    """Making one takes long, so each is made once per process. No two owners have the same."""
    return SigningKey(f"{owner[-4:]}-{generation}", generate_private_key(65537, 2048))


@dataclass
class Issuer:
    """What it publishes can be changed at any time: `discovery` is added to its document, and `keys` are its keys."""

    origin: str
    tenant: str = TENANT
    discovery: dict[str, Any] = field(default_factory=dict)
    keys: list[dict[str, Any]] = field(init=False)
    grants: dict[str, Grant] = field(default_factory=dict)
    requests: list[Seen] = field(default_factory=list)
    app: web.Application = field(init=False)
    _generation: int = 0
    _failures: dict[str, int | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.keys = [self.key.public_jwk]
        self.app = web.Application(middlewares=[self._notice])
        self.app.router.add_get("/{tenant:.+}/v2.0/.well-known/openid-configuration", self._discover)
        self.app.router.add_get("/{tenant:.+}/discovery/v2.0/keys", self._list_keys)
        self.app.router.add_post("/{tenant:.+}/oauth2/v2.0/token", self._grant)

    @property
    def url(self) -> str:
        """The `iss` of its tokens, and below which its discovery document is."""
        return f"{self.origin}/{self.tenant}/v2.0"

    @property
    def discovery_path(self) -> str:
        return f"/{self.tenant}/v2.0/.well-known/openid-configuration"

    @property
    def keys_path(self) -> str:
        return f"/{self.tenant}/discovery/v2.0/keys"

    @property
    def token_path(self) -> str:
        return f"/{self.tenant}/oauth2/v2.0/token"

    @property
    def authorize_path(self) -> str:
        return f"/{self.tenant}/oauth2/v2.0/authorize"

    @property
    def key(self) -> SigningKey:
        """The one it signs with at present."""
        return signing_key(self.tenant, self._generation)

    def rotate(self) -> None:
        """Sign with a new key. The old one is published no more."""
        self._generation += 1
        self.keys = [self.key.public_jwk]

    def token(
        self,
        *,
        key: SigningKey | None = None,
        header: Mapping[str, Any] | None = None,
        without: Collection[str] = (),
        **claims: Any,
    ) -> str:
        """A v2 access token of a user, with `claims` added or changed."""
        return self.sign({**self._user_claims(), **claims}, key=key, header=header, without=without)

    def app_token(
        self, *, header: Mapping[str, Any] | None = None, without: Collection[str] = (), **claims: Any
    ) -> str:
        """A v2 access token of an application that acts for itself, as client credentials get one."""
        own = {**self._shared_claims(), "idtyp": "app", "oid": CLIENT, "sub": CLIENT, "roles": ["Mcp.Reader"]}
        return self.sign({**own, **claims}, header=header, without=without)

    def id_token(self, **claims: Any) -> str:
        own = {**self._user_claims(), "nonce": uuid4().hex}
        return self.sign({**own, **claims}, without=("scp", "azp", "azpacr"))

    def sign(
        self,
        claims: Mapping[str, Any],
        *,
        key: SigningKey | None = None,
        header: Mapping[str, Any] | None = None,
        without: Collection[str] = (),
    ) -> str:
        """Sign exactly these claims, except those in `without`."""
        used = key or self.key
        payload = json.dumps({name: value for name, value in claims.items() if name not in without}).encode()
        return sign_payload(payload, used, {"typ": "JWT", "alg": "RS256", "kid": used.kid, **(header or {})})

    def fail(self, path_prefix: str, status: int | None = 503) -> None:
        """Answer requests for such paths so, or cut their connection (None), until told otherwise; "" heals all."""
        if path_prefix:
            self._failures[path_prefix] = status
        else:
            self._failures.clear()

    def heal(self) -> None:
        self.fail("")

    def count(self, path_prefix: str) -> int:
        return sum(seen.path.startswith(path_prefix) for seen in self.requests)

    def _shared_claims(self) -> dict[str, Any]:
        now = int(time.time())
        times = {"iat": now - 5, "nbf": now - 5, "exp": now + LIFETIME}
        client = {"azp": CLIENT, "azpacr": "0", "tid": self.tenant, "uti": uuid4().hex, "ver": "2.0"}
        return {"aud": AUDIENCE, "iss": self.url, **times, **client}

    def _user_claims(self) -> dict[str, Any]:
        name = {"name": "Ada Example", "preferred_username": "ada@example.com"}
        return {**self._shared_claims(), "oid": USER, "sub": "pairwise-subject-of-ada", "scp": SCOPE, **name}

    async def _discover(self, request: web.Request) -> web.StreamResponse:
        base = f"{self.origin}/{request.match_info['tenant']}"
        issuer = f"{self.origin}/{{tenantid}}/v2.0" if request.match_info["tenant"] in MULTI_TENANT else f"{base}/v2.0"
        document = {
            "issuer": issuer,
            "jwks_uri": f"{base}/discovery/v2.0/keys",
            "authorization_endpoint": f"{base}/oauth2/v2.0/authorize",
            "token_endpoint": f"{base}/oauth2/v2.0/token",
            "response_types_supported": ["code", "id_token"],
            "subject_types_supported": ["pairwise"],
            "id_token_signing_alg_values_supported": ["RS256"],
            "code_challenge_methods_supported": ["S256"],
            "scopes_supported": ["openid", "profile", "email", "offline_access"],
            "token_endpoint_auth_methods_supported": ["client_secret_post", "private_key_jwt", "client_secret_basic"],
        }
        return web.json_response({**document, **self.discovery})

    async def _list_keys(self, _request: web.Request) -> web.StreamResponse:
        return web.json_response({"keys": self.keys})

    async def _grant(self, request: web.Request) -> web.StreamResponse:
        form = {name: str(value) for name, value in (await request.post()).items()}
        grant = self.grants.get(form.get("grant_type", ""))
        if grant is None:
            return web.json_response({"error": "unsupported_grant_type"}, status=400)
        return await grant(form)

    @web.middleware
    async def _notice(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        form = {name: str(value) for name, value in (await request.post()).items()}
        self.requests.append(Seen(request.method, request.path, dict(request.query), form, request.headers))
        for prefix, status in self._failures.items():
            if request.path.startswith(prefix):
                return web.json_response({"error": "server_error"}, status=status) if status else _cut_off(request)
        return await handler(request)


@asynccontextmanager
async def issuing(*extensions: Callable[[Issuer], None], tenant: str = TENANT) -> AsyncIterator[Issuer]:
    """Run an issuer on this machine. Each extension may add routes and grants, and knows the address already."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        issuer = Issuer(f"http://127.0.0.1:{listener.getsockname()[1]}", tenant)
        for extend in extensions:
            extend(issuer)
        runner = web.AppRunner(issuer.app, handler_cancellation=True, shutdown_timeout=0)
        await runner.setup()
        try:
            await web.SockSite(runner, listener).start()
            yield issuer
        finally:
            await runner.cleanup()


def sign_payload(payload: bytes, key: SigningKey, header: Mapping[str, Any]) -> str:
    """Sign whatever bytes these are, by RS256, whatever the header says."""
    signed = f"{encoded(json.dumps(header).encode())}.{encoded(payload)}"
    return f"{signed}.{encoded(jwt.get_algorithm_by_name('RS256').sign(signed.encode(), key.private))}"


def encoded(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def _cut_off(request: web.Request) -> web.StreamResponse:
    if request.transport:
        request.transport.abort()
    return web.Response()
