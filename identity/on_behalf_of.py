"""Exchanges a user's token for a token that lets the server call a service on the user's behalf."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from azure.core.credentials import AccessToken
from azure.core.exceptions import AzureError, DecodeError, HttpResponseError

from clients.replies import HttpReply
from clients.rest import FormBody, RestClient
from identity.token_cache import Clock
from identity.token_errors import UNAVAILABLE, exchange_failure
from refusal import Refusal

PATIENCE: Final = 10.0  # the time limit for an exchange, in seconds
_BEARER_ASSERTION: Final = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"


@dataclass(frozen=True, slots=True)
class AppRegistration:
    """The registration of this app in its Entra tenant.

    Without a secret, the app authenticates with its managed identity.
    """

    tenant: str = ""
    client_id: str = ""
    client_secret: str = field(default="", repr=False)
    authority: str = "https://login.microsoftonline.com"


def secret_proof(secret: str) -> Mapping[str, str]:
    return {"client_secret": secret}


def federated_proof(token: AccessToken) -> Mapping[str, str]:
    return {"client_assertion_type": _BEARER_ASSERTION, "client_assertion": token.token}


@dataclass(frozen=True, slots=True)
class OnBehalfOf:
    """Exchanges tokens at Entra ID, with one request for each exchange. The tokens are not cached here."""

    registration: AppRegistration
    clock: Clock
    patience: float = PATIENCE

    async def token(self, assertion: str, scope: str, proof: Mapping[str, str], agent: str = "") -> AccessToken:
        """Exchange the assertion: the token of a user, or of an agent that acts for a user.

        Raises:
            Denial: The user must sign in again.
            Refusal: The exchange is not allowed, or failed temporarily.
        """
        try:
            async with asyncio.timeout(self.patience):
                answer = await self._ask({"assertion": assertion, "scope": scope, **proof})
        except HttpResponseError as failure:
            raise exchange_failure(_content(failure.response), scope, self.registration.client_id, agent) from None
        except (AzureError, TimeoutError):
            raise Refusal(UNAVAILABLE) from None
        return self._read(answer)

    async def _ask(self, form: dict[str, str]) -> Any:
        grant = {
            "grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer",
            "requested_token_use": "on_behalf_of",
            "client_id": self.registration.client_id,
        }
        async with RestClient(self.registration.authority, patience=self.patience / 2) as client:
            tenant = {"tenant": self.registration.tenant}
            return (await client.send("POST /{tenant}/oauth2/v2.0/token", tenant, body=FormBody(grant | form))).document

    def _read(self, answer: Any) -> AccessToken:
        try:
            token, lifetime = answer["access_token"], int(answer["expires_in"])
        except (KeyError, TypeError, ValueError):
            raise Refusal(UNAVAILABLE) from None
        if not (isinstance(token, str) and token.isascii() and token.isprintable() and token):
            raise Refusal(UNAVAILABLE)
        return AccessToken(token, int(self.clock()) + lifetime)


def _content(response: object) -> Any:
    try:
        return response.document if isinstance(response, HttpReply) else None
    except DecodeError:
        return None
