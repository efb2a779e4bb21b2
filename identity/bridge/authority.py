"""Calls the authority where users sign in.

The authority is Microsoft Entra ID, or another OpenID issuer at which this app is registered.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from aiohttp import ClientError, ClientSession, ClientTimeout

from identity.bridge.offer import BESIDE
from identity.bridge.redirects import with_query
from refusal import Refusal

PATIENCE: Final = ClientTimeout(total=15)

_SENTENCE: Final = re.compile(r"(AADSTS\d{1,10}): ([^\r\n]{1,300}?)(?:\.(?=\s|$)|[\r\n]|$)")
_UNFIT: Final = re.compile(r"[^ !#-\[\]-~]")  # characters that RFC 6749, section 5.2, forbids in an error description

logger = logging.getLogger(__name__)

Credential = Callable[[], Awaitable[dict[str, str]]]


@dataclass(frozen=True, slots=True)
class Authority:
    """The authority, and the registration of this app at the authority.

    `scope` lists all scopes that the bridge can request; the first scope is in every token. `credential` returns the
    form fields that authenticate this app: a secret or an assertion.
    """

    authorization_endpoint: str
    token_endpoint: str
    client_id: str
    scope: str
    credential: Credential


@dataclass(frozen=True, slots=True)
class AuthorityTokens:
    """The authority's response to a token request. `scope` is the granted scope, if the response contains it."""

    access_token: str = field(repr=False)
    expires_in: int | None
    refresh_token: str | None = field(repr=False)
    scope: str
    id_token: str = field(repr=False)


@dataclass(eq=False)
class Declined(Exception):  # noqa: N818 - a control-flow outcome, not an error
    """The authority declined the sign-in for a reason that the user can fix by signing in again."""

    error: str
    description: str


class AuthorityClient:
    """Requests tokens from the authority as a confidential client."""

    def __init__(self, authority: Authority, callback: str, beside: Sequence[str] = BESIDE) -> None:
        self._authority = authority
        self._callback = callback
        self._beside = beside

    @property
    def client_id(self) -> str:
        return self._authority.client_id

    def sign_in_url(self, scope: str, state: str, challenge: str, **more: str) -> str:
        parameters = {
            "client_id": self._authority.client_id,
            "response_type": "code",
            "response_mode": "query",
            "redirect_uri": self._callback,
            "scope": self._with_beside(scope),
            "state": state,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
            **more,
        }
        return with_query(self._authority.authorization_endpoint, parameters)

    async def redeem(self, code: str, verifier: str, scope: str) -> AuthorityTokens:
        """Exchange an authorization code for tokens. Raises the same exceptions as `_ask`."""
        grant = {"grant_type": "authorization_code", "code": code, "code_verifier": verifier}
        return await self._ask({**grant, "redirect_uri": self._callback}, scope)

    async def renew(self, refresh_token: str, scope: str) -> AuthorityTokens:
        """Exchange a refresh token for new tokens. Raises the same exceptions as `_ask`."""
        return await self._ask({"grant_type": "refresh_token", "refresh_token": refresh_token}, scope)

    async def _ask(self, grant: dict[str, str], scope: str) -> AuthorityTokens:
        """Request tokens for a grant.

        Raises:
            Declined: The authority declined the request, and a retry would not help.
            Refusal: The authority is unreachable, or its response is invalid.
        """
        own = {"client_id": self._authority.client_id, **await self._authority.credential()}
        status, document = await self._post({**grant, "scope": self._with_beside(scope), **own})
        if status == 200 and isinstance(document.get("access_token"), str):
            return _tokens(document)
        error = _text(document, "error")
        description = safe_description(_text(document, "error_description"))
        if status in {400, 401} and error in _OF_THE_GRANT:
            raise Declined(error, description)
        logger.error("The sign-in service answered the bridge with status %s: %s %s", status, error, description)
        raise Refusal(
            "The sign-in service cannot issue a token now. If this persists, contact the operator of this server."
        )

    def _with_beside(self, scope: str) -> str:
        return " ".join([scope, *self._beside])

    async def _post(self, form: dict[str, str]) -> tuple[int, dict[str, Any]]:
        try:
            async with (
                ClientSession(timeout=PATIENCE) as session,
                session.post(self._authority.token_endpoint, data=form, allow_redirects=False) as response,
            ):
                return response.status, _document(await response.read())
        except (ClientError, TimeoutError) as problem:
            logger.warning("Cannot reach the sign-in service: %s", type(problem).__name__)
            raise Refusal("The sign-in service is unreachable. Try again in a minute.") from None


# The authority's errors that the user can fix by signing in again. All other errors are problems between this app and
# the authority.
_OF_THE_GRANT: Final = {"invalid_grant", "interaction_required", "consent_required", "login_required"}


def safe_description(text: str) -> str:
    """The part of the authority's error description that clients may see: the error code and the first sentence."""
    found = _SENTENCE.match(text)
    return _UNFIT.sub("'", f"{found[1]}: {found[2]}.") if found else "The sign-in service declined."


def _tokens(document: dict[str, Any]) -> AuthorityTokens:
    expires_in, refresh_token = str(document.get("expires_in")), document.get("refresh_token")
    return AuthorityTokens(
        document["access_token"],
        int(expires_in) if expires_in.isdecimal() else None,
        refresh_token if isinstance(refresh_token, str) else None,
        _text(document, "scope"),
        _text(document, "id_token"),
    )


def _document(body: bytes) -> dict[str, Any]:
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


def _text(document: dict[str, Any], name: str) -> str:
    value = document.get(name)
    return value if isinstance(value, str) else ""
