"""Provides clients and grants to the SDK's handlers for registration and tokens."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import ClassVar

from mcp.server.auth.provider import AuthorizationCode, RefreshToken, RegistrationError, TokenError
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken

from identity.bridge.authority import AuthorityClient, AuthorityTokens, Declined
from identity.bridge.offer import BESIDE, BridgeOffer
from identity.bridge.registrations import Registrations
from identity.bridge.sessions import LONGEST_SECONDS, BridgeSessions, SessionOver
from identity.bridge.sign_in import Code
from identity.seals import Seals, fingerprint
from refusal import Refusal


@dataclass(frozen=True, slots=True)
class Renewal:
    """A refresh token of the bridge.

    This token contains the authority's refresh token, the client, and the number of renewals.
    """

    kind: ClassVar[str] = "refresh 2"
    seconds: ClassVar[int] = LONGEST_SECONDS

    client: str
    token: str = field(repr=False)
    further: str
    session: str
    renewals: int


class GrantedCode(AuthorizationCode):
    verifier: str


class GrantedRenewal(RefreshToken):
    session: str
    renewals: int


class TokenGrants:
    """The part of `OAuthAuthorizationServerProvider` that the SDK's registration and token handlers use."""

    def __init__(
        self,
        authority: AuthorityClient,
        registrations: Registrations,
        sessions: BridgeSessions,
        seals: Seals,
        offer: BridgeOffer,
    ) -> None:
        self._authority = authority
        self._registrations = registrations
        self._sessions = sessions
        self._seals = seals
        self._offer = offer

    async def get_client(self, client_id: str) -> OAuthClientInformationFull | None:
        # No client has a secret. Each code or refresh token names its client, and PKCE proves that a code is redeemed
        # by the client that requested it.
        if not self._registrations.knows(client_id):
            return None
        return OAuthClientInformationFull(client_id=client_id, token_endpoint_auth_method="none")  # noqa: S106 - no secret

    async def register_client(self, client_info: OAuthClientInformationFull) -> None:
        """Register the client.

        The SDK's handler returns `client_info` to the client, so this method sets the fields of `client_info` to the
        registered values.
        """
        redirects = [str(uri) for uri in client_info.redirect_uris or ()]
        try:
            client_id = self._registrations.register(client_info.client_name or "", redirects)
        except Refusal as refusal:
            raise RegistrationError("invalid_redirect_uri", str(refusal)) from None
        kept = {"client_name": client_info.client_name, "redirect_uris": client_info.redirect_uris}
        registered = OAuthClientInformationFull(
            client_id=client_id,
            client_id_issued_at=client_info.client_id_issued_at,
            token_endpoint_auth_method="none",  # noqa: S106 - no secret
            scope=self._offer.first,
            application_type=client_info.application_type,
            **kept,
        )
        for name in OAuthClientInformationFull.model_fields:
            setattr(client_info, name, getattr(registered, name))

    async def load_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: str
    ) -> GrantedCode | None:
        sealed = self._seals.open(Code, authorization_code)
        if sealed is None or sealed.client != fingerprint(client.client_id):
            return None
        return GrantedCode.model_validate(
            {
                "code": sealed.code,
                "verifier": sealed.verifier,
                "client_id": client.client_id,
                "code_challenge": sealed.challenge,
                "redirect_uri": sealed.redirect,
                "redirect_uri_provided_explicitly": True,
                "scopes": self._offer.wanted(sealed.further).split(),
                "expires_at": math.inf,  # an expired code cannot be decrypted, so the SDK need not check the expiry
            }
        )

    async def exchange_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: GrantedCode
    ) -> OAuthToken:
        scope = " ".join(authorization_code.scopes)
        try:
            tokens = await self._authority.redeem(authorization_code.code, authorization_code.verifier, scope)
        except Declined as declined:
            raise TokenError("invalid_grant", declined.description) from None
        return self._answer(client, tokens, scope, self._sessions.begin(), 0)

    async def load_refresh_token(self, client: OAuthClientInformationFull, refresh_token: str) -> GrantedRenewal | None:
        sealed = self._seals.open(Renewal, refresh_token)
        if sealed is None or sealed.client != fingerprint(client.client_id):
            return None
        scopes = [*self._offer.wanted(sealed.further).split(), *BESIDE]
        return GrantedRenewal(
            token=sealed.token,
            client_id=client.client_id,
            scopes=scopes,
            session=sealed.session,
            renewals=sealed.renewals,
        )

    async def exchange_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: GrantedRenewal, _scopes: list[str]
    ) -> OAuthToken:
        scope = self._offer.ours(refresh_token.scopes)
        try:
            tokens = await self._renewed(refresh_token, scope)
        except Declined as declined:
            raise TokenError("invalid_grant", declined.description) from None
        except SessionOver:
            raise TokenError("invalid_grant", "This sign-in has ended. Sign in again.") from None
        return self._answer(client, tokens, scope, refresh_token.session, refresh_token.renewals + 1)

    async def _renewed(self, renewal: GrantedRenewal, scope: str) -> AuthorityTokens:
        """Renew the tokens.

        The renewal is counted only after the authority has responded, so that the client can retry with the same token
        if the authority fails.
        """
        row = await self._sessions.check(renewal.session, renewal.renewals)
        tokens = await self._authority.renew(renewal.token, scope)
        await self._sessions.renew(row)
        # If the authority issues no new refresh token, the old token stays valid.
        return replace(tokens, refresh_token=tokens.refresh_token or renewal.token)

    def _answer(
        self, client: OAuthClientInformationFull, tokens: AuthorityTokens, asked: str, session: str, renewals: int
    ) -> OAuthToken:
        scope = self._offer.ours(tokens.scope.split()) or asked
        further = self._offer.further(scope.split())
        sealed = None
        if tokens.refresh_token:
            renewal = Renewal(fingerprint(client.client_id), tokens.refresh_token, further, session, renewals)
            sealed = self._seals.seal(renewal)
        return OAuthToken(
            access_token=tokens.access_token, expires_in=tokens.expires_in, refresh_token=sealed, scope=scope
        )
