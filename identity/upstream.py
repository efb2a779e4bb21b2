"""Provides credentials for calling services: on behalf of the user, or as the app itself if settings allow it."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from types import TracebackType
from typing import Any, Final, Self

from azure.core.credentials import AccessToken

from identity.caller import Caller, CallerKind
from identity.challenges import more_claims
from identity.on_behalf_of import AppRegistration, OnBehalfOf, federated_proof, secret_proof
from identity.own_identity import OwnIdentity
from identity.token_cache import Clock, Purpose, TokenCache
from refusal import Refusal

# The managed identity proves the app's identity to Entra ID with a token that has this scope.
_EXCHANGE: Final = "api://AzureADTokenExchange/.default"


class Upstream:
    """Provides tokens for calling services. A token is never used for another caller or tenant."""

    def __init__(
        self,
        registration: AppRegistration,
        own_identity: OwnIdentity,
        *,
        own_identity_allowed: bool,
        clock: Clock = time.time,
    ) -> None:
        self._registration, self._own_identity = registration, own_identity
        self._own_identity_allowed = own_identity_allowed
        self._on_behalf_of = OnBehalfOf(registration, clock)
        self._tokens = TokenCache(clock)

    async def authorization(self, caller: Caller, scope: str, *, delegable: bool = True) -> str:
        """The value of the Authorization header for a request to the service with this scope."""
        return f"Bearer {(await self.token(caller, scope, delegable=delegable)).token}"

    async def own_authorization(self, scope: str) -> str:
        """The value of the Authorization header for background work, which uses the server's own identity."""
        return f"Bearer {(await self._own_token(scope)).token}"

    def own_credential(self) -> OwnCredential:
        """The server's own credential for Azure SDK clients, for services that do not check permissions of users."""
        return OwnCredential(self._own_token)

    def credential(self, caller: Caller, *, delegable: bool = True) -> CallerCredential:
        """A credential that lets Azure SDK clients call services for the caller.

        The Azure SDK client caches the token, so do not use the client for other callers.
        """
        return CallerCredential(self, caller, delegable)

    async def token(
        self, caller: Caller, scope: str, *, delegable: bool = True, claims: str | None = None
    ) -> AccessToken:
        """Get a token that is valid for at least a few more minutes.

        Set `delegable` to False for services that cannot be called on behalf of a user.

        Raises:
            Denial: The user must sign in again. The denial contains the claims that the service requires, if any.
            Refusal: The server cannot get a token for this caller and service.
        """
        self._refuse_other_tenants(caller)
        if delegable and caller.kind is CallerKind.USER and not self._can_act_for(caller):
            raise Refusal(
                "This server cannot act on your behalf. Ask an administrator to set UPSTREAM_CLIENT_ID and, if App"
                " Service authentication is used, to turn on its token store."
            )
        if not (delegable and self._can_act_for(caller)):
            self._refuse_own_identity_to(caller, scope)
            return await (self._own_identity.token(scope, claims) if claims else self._own_token(scope))
        if claims:
            raise more_claims(claims)
        assertion = hashlib.sha256(caller.token.encode()).digest()
        purpose = Purpose(self._registration.tenant, scope, caller.subject, assertion)
        return await self._tokens.token(purpose, partial(self._exchange, caller, scope))

    def _can_act_for(self, caller: Caller) -> bool:
        return caller.kind is CallerKind.USER and bool(caller.token and self._registration.client_id)

    def _refuse_other_tenants(self, caller: Caller) -> None:
        if (
            caller.kind in {CallerKind.USER, CallerKind.APP}
            and caller.tenant.lower() != self._registration.tenant.lower()
        ):
            raise Refusal(
                "This server calls Azure for members of its own tenant only, but you are signed in to another tenant."
                " Sign in with an account of the server's tenant."
            )

    def _refuse_own_identity_to(self, caller: Caller, scope: str) -> None:
        if caller.kind is CallerKind.ANONYMOUS:
            if self._own_identity.is_on_azure:
                raise Refusal(f"{scope} requires sign-in. Sign in and try again.")
        elif not self._own_identity_allowed:
            raise Refusal(
                f"This server cannot call {scope} on your behalf or with its own identity. Sign in as a"
                " user, or ask an administrator to set UPSTREAM_OWN_IDENTITY to true."
            )

    async def _own_token(self, scope: str) -> AccessToken:
        purpose = Purpose(self._registration.tenant, scope)
        return await self._tokens.token(purpose, partial(self._own_identity.token, scope))

    async def _exchange(self, caller: Caller, scope: str) -> AccessToken:
        agent = caller.agent.id if caller.agent else ""
        return await self._on_behalf_of.token(caller.token, scope, await self.proof(), agent)

    async def proof(self) -> Mapping[str, str]:
        """The form fields that authenticate the app to Entra ID."""
        if self._registration.client_secret:
            return secret_proof(self._registration.client_secret)
        if self._own_identity.is_on_azure:
            return federated_proof(await self._own_token(_EXCHANGE))
        raise Refusal(
            "This server cannot act on your behalf. Outside Azure, the server needs a client secret for its"
            f" application {self._registration.client_id}, but no secret is set."
        )


class _Credential:
    """The methods that Azure SDK clients call to close a credential. The credential has nothing to close."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None = None,
        error: BaseException | None = None,
        trace: TracebackType | None = None,
    ) -> None:
        pass

    async def close(self) -> None:
        """Do nothing, because a credential has no connection."""


@dataclass(frozen=True)
class OwnCredential(_Credential):
    """A credential for Azure SDK clients that uses the server's own identity (`AsyncTokenCredential`)."""

    _token: Callable[[str], Awaitable[AccessToken]] = field(repr=False)

    async def get_token(self, *scopes: str, **_: Any) -> AccessToken:
        (scope,) = scopes
        return await self._token(scope)


@dataclass(frozen=True)
class CallerCredential(_Credential):
    """A credential that lets Azure SDK clients call services for a caller (`AsyncTokenCredential`)."""

    _upstream: Upstream = field(repr=False)
    _caller: Caller
    _delegable: bool

    async def get_token(self, *scopes: str, claims: str | None = None, **_: Any) -> AccessToken:
        """Get a token from the server's own tenant, even if the service requests another tenant."""
        (scope,) = scopes
        return await self._upstream.token(self._caller, scope, delegable=self._delegable, claims=claims)
