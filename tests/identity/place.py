"""A server that calls services, and what it gets tokens from."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import jwt
from aiohttp import web

from identity.caller import Caller, CallerKind
from identity.on_behalf_of import AppRegistration
from identity.own_identity import OwnIdentity
from identity.upstream import Upstream
from tests.fakes.issuer import AUDIENCE, USER, Issuer, issuing
from tests.fakes.upstream_identity import UpstreamIdentity

SECRET = "marked-client-secret"  # noqa: S105 - not one
ARM = "https://management.azure.com/.default"
VAULT = "https://vault.azure.net/.default"
CLAIMS = '{"access_token":{"acrs":{"essential":true,"value":"c1"}}}'
# Answers that are none.
BROKEN = [
    web.Response(text="<html>Sign in</html>", content_type="text/html"),
    web.json_response(text='{"access_token": '),
    web.json_response(["access_token"]),
    web.json_response({"token_type": "Bearer", "expires_in": 3600}),
    web.json_response({"access_token": "abc", "expires_in": "soon"}),
    web.json_response({"access_token": "a\r\nHost: b", "expires_in": 3600}),
    web.json_response({"access_token": {}, "expires_in": 3600}),
    web.json_response(text="[" * 100_000),
    web.json_response({"error": {"code": 7}}, status=400),
    web.json_response({"error": "temporarily_unavailable"}, status=400),
    web.json_response(["error"], status=400),
    web.Response(text="nonsense", status=400),
    web.Response(status=503),
    web.Response(status=302, headers={"Location": "/elsewhere"}),
    web.Response(status=429, headers={"Retry-After": "60"}),
]
KEY_CALLER = Caller(CallerKind.KEY, subject="ci")


@dataclass
class Clock:
    now: float = field(default_factory=time.time)

    def __call__(self) -> float:
        return self.now


@dataclass
class Place:
    """The server under test, and what it gets tokens from."""

    issuer: Issuer
    entra: UpstreamIdentity
    clock: Clock = field(default_factory=Clock)

    def upstream(
        self, registration: AppRegistration | None = None, *, allowed: bool = False, on_azure: bool = False
    ) -> Upstream:
        own = OwnIdentity(is_on_azure=on_azure)
        return Upstream(registration or self.registration(), own, own_identity_allowed=allowed, clock=self.clock)

    def registration(self, **changes: str) -> AppRegistration:
        secret, authority = self.entra.client_secret, self.issuer.origin
        return replace(AppRegistration(self.issuer.tenant, AUDIENCE, secret, authority), **changes)

    def user(self, subject: str = USER, **changes: Any) -> Caller:
        token = self.issuer.token(oid=subject)
        return replace(Caller(CallerKind.USER, tenant=self.issuer.tenant, subject=subject, token=token), **changes)

    @property
    def exchanges(self) -> int:
        return self.issuer.count(self.issuer.token_path)


@asynccontextmanager
async def open_place(secret: str = SECRET) -> AsyncIterator[Place]:
    entra = UpstreamIdentity(secret)
    async with issuing(entra) as issuer:
        yield Place(issuer, entra)


def claims_of(authorization: str) -> dict[str, Any]:
    claims: dict[str, Any] = jwt.decode(authorization.removeprefix("Bearer "), options={"verify_signature": False})
    return claims
