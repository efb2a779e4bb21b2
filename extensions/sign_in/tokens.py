"""Requests and revokes tokens of an extension's issuer."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import quote_plus

from extensions.sign_in.outgoing import IssuerReply, Outgoing
from extensions.sign_in.registering import RegisteredClient
from refusal import Refusal

_LONGEST: Final = 5000
_TOKEN: Final = re.compile(r"[A-Za-z0-9._~+/=:|!-]+")
_USUAL_SECONDS: Final = 3600
_MOST_SECONDS: Final = 30 * 24 * 3600
# The OAuth errors after which the user must sign in again.
_OF_THE_GRANT: Final = frozenset({"invalid_grant", "interaction_required", "consent_required", "login_required"})


@dataclass(frozen=True, slots=True)
class Tokens:
    access: str = field(repr=False)
    seconds: int
    refresh: str = field(default="", repr=False)


class DeclinedError(Refusal):
    """The issuer rejected the request. If `is_final` is true, the user must sign in again."""

    def __init__(self, who: str, *, is_final: bool) -> None:
        advice = "Sign in again." if is_final else "Tell an operator."
        super().__init__(f"The issuer of the extension {who!r} declined to issue a token. {advice}")
        self.is_final = is_final


class NoTokensError(Refusal):
    """The issuer responded without tokens. The authorization code or refresh token may be used up."""


@dataclass(frozen=True)
class TokenEndpoint:
    """The token endpoint of an extension's issuer, used by one OAuth client."""

    who: str
    url: str
    resource: str
    client: RegisteredClient
    outgoing: Outgoing
    is_private: bool

    async def redeem(self, code: str, verifier: str, redirect: str) -> Tokens:
        """Exchange an authorization code for tokens. Raises the same errors as `_request`."""
        grant = {"grant_type": "authorization_code", "code": code, "code_verifier": verifier}
        return await self._request({**grant, "redirect_uri": redirect})

    async def renew(self, refresh: str) -> Tokens:
        """Exchange a refresh token for new tokens. Raises the same errors as `_request`."""
        return await self._request({"grant_type": "refresh_token", "refresh_token": refresh})

    async def own(self, scope: str) -> Tokens:
        """Request a token that signs this server in as itself, without a user. Raises the same errors as `_request`."""
        return await self._request({"grant_type": "client_credentials", **({"scope": scope} if scope else {})})

    async def revoke(self, url: str, token: str) -> bool:
        """Revoke a token. Return whether the issuer confirmed the revocation."""
        form, headers = self._proven({"token": token})
        reply = await self.outgoing.post(url, is_private=self.is_private, form=form, headers=headers)
        return reply.status == 200

    async def _request(self, grant: Mapping[str, str]) -> Tokens:
        """Request tokens. Raises UnansweredError, DeclinedError, or NoTokensError if the reply has no tokens."""
        form, headers = self._proven({**grant, "resource": self.resource})
        reply = await self.outgoing.post(self.url, is_private=self.is_private, form=form, headers=headers)
        error = reply.document.get("error")
        if 400 <= reply.status < 500 and isinstance(error, str):
            raise DeclinedError(self.who, is_final=error in _OF_THE_GRANT)
        return self._read(reply)

    def _read(self, reply: IssuerReply) -> Tokens:
        from mcp.shared.auth import OAuthToken

        try:
            reply_token = OAuthToken.model_validate(reply.document)
        except ValueError:
            raise self._no_tokens() from None
        if reply.status != 200:
            raise self._no_tokens()
        seconds = _USUAL_SECONDS if reply_token.expires_in is None else reply_token.expires_in
        refresh = reply_token.refresh_token or ""
        if not _is_token(reply_token.access_token) or (refresh and not _is_text(refresh)) or seconds < 0:
            raise self._no_tokens()
        return Tokens(reply_token.access_token, min(seconds, _MOST_SECONDS), refresh)

    def _no_tokens(self) -> NoTokensError:
        return NoTokensError(f"The issuer of the extension {self.who!r} answered with an invalid token.")

    def _proven(self, form: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
        """Return the form and headers that authenticate the client, as defined in RFC 6749."""
        client = self.client
        if client.method == "client_secret_basic":
            pair = f"{quote_plus(client.id)}:{quote_plus(client.secret)}"
            return dict(form), {"Authorization": f"Basic {b64encode(pair.encode()).decode()}"}
        secret = {"client_secret": client.secret} if client.method == "client_secret_post" else {}
        return {**form, "client_id": client.id, **secret}, {}


def _is_token(text: str) -> bool:
    return len(text) <= _LONGEST and bool(_TOKEN.fullmatch(text))


def _is_text(text: str) -> bool:
    return len(text) <= _LONGEST and text.isascii() and text.isprintable()
