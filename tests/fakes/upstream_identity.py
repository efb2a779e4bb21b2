"""Plays what an app gets its upstream tokens from: the on-behalf-of exchange, and the app's managed identity."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import jwt
import pytest
from aiohttp import web

from tests.fakes.issuer import AUDIENCE, Issuer

BEARER_GRANT: Final = "urn:ietf:params:oauth:grant-type:jwt-bearer"
BEARER_ASSERTION: Final = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
EXCHANGE: Final = "api://AzureADTokenExchange"
PRINCIPAL: Final = "1de27171-0000-4000-8000-000000000003"
TRACE: Final = "7ace0000-0000-4000-8000-000000000004"
IDENTITY_PATH: Final = "/msi/token"


@dataclass
class UpstreamIdentity:
    """An extension of the issuer. Without a client secret, only the managed identity's assertion proves the app."""

    client_secret: str = ""
    header: str = field(default_factory=lambda: f"identity-header-{secrets.token_hex()}")
    lifetime: int = 3600
    answer: web.Response | None = None  # given instead of a token, as often as it is asked for
    stalled: bool = False
    given: list[str] = field(default_factory=list)
    issuer: Issuer = field(init=False)

    def __call__(self, issuer: Issuer) -> None:
        self.issuer = issuer
        issuer.grants[BEARER_GRANT] = self._exchange
        issuer.app.router.add_get(IDENTITY_PATH, self._managed_identity)

    def in_environment(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Let this process find the managed identity, as App Service does."""
        monkeypatch.setenv("IDENTITY_ENDPOINT", f"{self.issuer.origin}{IDENTITY_PATH}")
        monkeypatch.setenv("IDENTITY_HEADER", self.header)

    def refuse(self, code: int, error: str = "invalid_grant", status: int = 400, **more: Any) -> None:
        self.answer = _refusal(code, error, status, **more)

    async def _exchange(self, form: dict[str, str]) -> web.Response:
        if self.stalled:
            await asyncio.Event().wait()
        if self.answer is not None:
            return web.Response(body=self.answer.body, status=self.answer.status, headers=self.answer.headers)
        if "on_behalf_of" not in form["requested_token_use"] or not self._proves(form):
            return _refusal(7000215, "invalid_client", 401)
        user = self._verified(form["assertion"], AUDIENCE)
        if user is None:
            return _refusal(500133)
        return _refusal(7000114) if "scp" not in user else self._token(form["scope"], user)

    def _proves(self, form: Mapping[str, str]) -> bool:
        if form["client_id"] != AUDIENCE:
            return False
        if self.client_secret:
            return form.get("client_secret") == self.client_secret
        app = self._verified(form.get("client_assertion", ""), EXCHANGE)
        return form.get("client_assertion_type") == BEARER_ASSERTION and app is not None and app["sub"] == PRINCIPAL

    def _verified(self, token: str, audience: str) -> dict[str, Any] | None:
        try:
            claims: dict[str, Any] = jwt.decode(
                token, self.issuer.key.private.public_key(), ["RS256"], audience=audience, issuer=self.issuer.url
            )
        except jwt.InvalidTokenError:
            return None
        return claims

    def _token(self, scope: str, user: Mapping[str, Any]) -> web.Response:
        token = self._sign(scope.removesuffix("/.default"), oid=user["oid"], tid=user["tid"], scp="user_impersonation")
        return web.json_response({"token_type": "Bearer", "expires_in": self.lifetime, "access_token": token})

    async def _managed_identity(self, request: web.Request) -> web.StreamResponse:
        if request.headers.get("X-IDENTITY-HEADER") != self.header:
            return web.json_response({"statusCode": 401, "message": "The header is wrong."}, status=401)
        resource = request.query["resource"]
        content = {"access_token": self._sign(resource, sub=PRINCIPAL), "expires_on": int(time.time()) + self.lifetime}
        return web.json_response({**content, "resource": resource, "token_type": "Bearer"})

    def _sign(self, audience: str, **claims: Any) -> str:
        now = int(time.time())
        times = {"iat": now, "nbf": now, "exp": now + self.lifetime}
        token = self.issuer.sign(
            {"aud": audience, "iss": self.issuer.url, **times, "jti": secrets.token_hex(), **claims}
        )
        self.given.append(token)
        return token


def _refusal(code: int, error: str = "invalid_grant", status: int = 400, **more: Any) -> web.Response:
    description = f"AADSTS{code}: Whatever is wrong, for ada@example.com. Trace ID: {TRACE}"
    content = {"error": error, "error_description": description, "error_codes": [code], "trace_id": TRACE}
    return web.json_response({**content, "correlation_id": "c0de", **more}, status=status)
