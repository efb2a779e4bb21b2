"""The part of an issuer at which people sign in: its page, and the grants that follow from it."""

from __future__ import annotations

import secrets
import time
from base64 import urlsafe_b64encode
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final
from urllib.parse import urlencode

from aiohttp import web

from tests.fakes.issuer import AUDIENCE, LIFETIME, Issuer

SECRET: Final = "the secret of the app at the issuer"  # noqa: S105 - of an invented issuer
CODE_LENGTH: Final = 900  # bytes; those of Entra ID are that long


@dataclass(frozen=True)
class Started:
    redirect_uri: str
    challenge: str
    # Whether the client asked for a sign-in of now, and so is told when it was.
    is_recent: bool


@dataclass
class SignInPage:
    """An extension of `issuing`. Whoever comes is signed in at once, or is sent back with `failure`."""

    redirect_uri: str
    scope: str
    failure: dict[str, str] = field(default_factory=dict)
    token_failure: dict[str, str] = field(default_factory=dict)  # what the token endpoint answers instead
    token_failure_status: int = 400
    garbage: bytes = b""  # likewise, as it is
    moved_to: str = ""  # where the token endpoint redirects to
    codes: dict[str, Started] = field(default_factory=dict)
    refresh_tokens: set[str] = field(default_factory=set)
    token: Callable[[], str] = str
    # The ID token of a sign-in, given the claims that its client asked for.
    id_token: Callable[..., str] = lambda **_: "not.for.us"

    def __call__(self, issuer: Issuer) -> None:
        self.token = issuer.token
        issuer.app.router.add_get("/{tenant}/oauth2/v2.0/authorize", self._authorize)
        issuer.grants["authorization_code"] = self._redeem
        issuer.grants["refresh_token"] = self._renew

    async def _authorize(self, request: web.Request) -> web.StreamResponse:
        asked = request.query
        if "resource" in asked:
            return web.Response(status=400, text="AADSTS9010010: The resource parameter does not match the scopes.")
        if asked["client_id"] != AUDIENCE or asked["redirect_uri"] != self.redirect_uri:
            return web.Response(status=400, text="AADSTS50011: The redirect URI does not match.")
        if self.failure:
            return self._back({**self.failure, "state": asked["state"]})
        if asked["code_challenge_method"] != "S256" or self.scope not in asked["scope"].split():
            return self._back({"error": "invalid_request", "state": asked["state"]})
        code = f"1.{_text(30)}.{_text(CODE_LENGTH)}"
        self.codes[code] = Started(asked["redirect_uri"], asked["code_challenge"], asked.get("max_age") == "0")
        return self._back({"code": code, "state": asked["state"], "session_state": _text(16)})

    def _back(self, parameters: dict[str, str]) -> web.Response:
        return web.Response(status=302, headers={"Location": f"{self.redirect_uri}?{urlencode(parameters)}"})

    async def _redeem(self, form: dict[str, str]) -> web.Response:
        if wrong := self._trouble(form):
            return wrong
        started = self.codes.pop(form["code"], None)
        if started is None:
            return _error("invalid_grant", "AADSTS54005: OAuth2 Authorization code was already redeemed")
        verifier = urlsafe_b64encode(sha256(form["code_verifier"].encode()).digest()).rstrip(b"=").decode()
        if verifier != started.challenge or form["redirect_uri"] != started.redirect_uri:
            return _error("invalid_grant", "AADSTS501481: The code_verifier does not match the code_challenge")
        when = {"auth_time": int(time.time())} if started.is_recent else {}
        return self._tokens(self.id_token(**when))

    async def _renew(self, form: dict[str, str]) -> web.Response:
        if wrong := self._trouble(form):
            return wrong
        if form["refresh_token"] not in self.refresh_tokens:
            return _error("invalid_grant", "AADSTS70000: The provided grant has expired")
        return self._tokens(self.id_token())

    def _trouble(self, form: dict[str, str]) -> web.Response | None:
        if self.moved_to:
            return web.Response(status=307, headers={"Location": self.moved_to})
        if self.garbage:
            return web.Response(body=self.garbage, content_type="application/json")
        if self.token_failure:
            return web.json_response(self.token_failure, status=self.token_failure_status)
        if form.get("client_id") != AUDIENCE or form.get("client_secret") != SECRET:
            return _error("invalid_client", "AADSTS7000215: Invalid client secret provided", 401)
        if "resource" in form or self.scope not in form["scope"].split():
            return _error("invalid_scope", "AADSTS70011: The provided value for the input parameter is not valid")
        return None

    def _tokens(self, id_token: str) -> web.Response:
        refresh_token = f"1.{_text(CODE_LENGTH)}"
        self.refresh_tokens.add(refresh_token)
        tokens = {"access_token": self.token(), "refresh_token": refresh_token, "id_token": id_token}
        return web.json_response({**tokens, "token_type": "Bearer", "expires_in": LIFETIME, "scope": self.scope})


def _text(size: int) -> str:
    return secrets.token_urlsafe(size)


def _error(error: str, sentence: str, status: int = 400) -> web.Response:
    description = f"{sentence}. Trace ID: {_text(9)} Correlation ID: {_text(9)} Timestamp: 2026-01-01 00:00:00Z"
    return web.json_response({"error": error, "error_description": description, "error_codes": [1]}, status=status)
