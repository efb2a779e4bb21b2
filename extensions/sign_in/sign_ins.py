"""Returns the headers that sign a caller in to an extension. This module is the entry point of the package."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from clients.storage import Storage
from extensions.sign_in.consenting import Consenting
from extensions.sign_in.methods import (
    ByConsent,
    ByHeader,
    ClientCredentials,
    OnBehalfOfUser,
    Peer,
    Trust,
    check_sign_in,
    is_private_at,
    page_of,
    trust_for,
)
from extensions.sign_in.outgoing import HttpSessions, Outgoing
from extensions.sign_in.registering import Registering, Secrets, known_client
from extensions.sign_in.renewing import EARLY, LostError, Renewing
from extensions.sign_in.servers import Challenge, server_for
from extensions.sign_in.sign_in_store import KeptTokens, SignInDemand, SignInStore, owner_of
from extensions.sign_in.tokens import TokenEndpoint
from identity.caller import Caller, CallerKind
from identity.seals import Seals
from mcp_server.calls.page_needed import PageNeededError
from refusal import Refusal

# After a renewal, a token is not renewed again for this many seconds, even if an extension's server rejects the token.
_LATELY: Final = 10.0
_MORE: Final = "insufficient_scope"


class ConsentNeededError(PageNeededError):
    """The user must first sign in to the extension on a page of this server."""

    def __init__(self, peer: Peer, path: str, why: str) -> None:
        super().__init__(path, why, f"sign in to the extension {peer.name!r}")


@dataclass(frozen=True)
class House:
    """The app's services that this package uses."""

    storage: Callable[[], Storage]
    seals: Seals
    secrets: Secrets
    authorization: Callable[[Caller, str], Awaitable[str]]
    # The permissions that the repository's extensions file grants: which servers receive secrets or users' tokens.
    trusted: frozenset[Trust] = frozenset()
    # Whether this server runs on a laptop, with a single user who does not sign in.
    is_laptop: bool = False
    sessions: HttpSessions = field(default_factory=HttpSessions)
    clock: Callable[[], float] = time.time


@dataclass(frozen=True, slots=True)
class _Own:
    """A token that signs this server in as itself, and the token's expiry time."""

    token: str = field(repr=False)
    until: float


class SignIns:
    def __init__(self, house: House) -> None:
        self._house = house
        self._keeping = SignInStore(house.storage, house.seals)
        self._renewing = Renewing(self._keeping, Outgoing(house.sessions), house.clock)
        self.consenting = Consenting(
            self._keeping, self._renewing, house.seals, Registering(self._renewing.outgoing, house.secrets)
        )
        self._own: dict[Peer, _Own] = {}
        self._asking = asyncio.Lock()

    async def headers(self, peer: Peer, caller: Caller) -> Mapping[str, str]:
        """Return the headers that sign a caller in to an extension.

        Raises:
            ConsentNeededError: The user must first sign in to the extension.
            Refusal: This caller cannot be signed in.
        """
        self._check(peer)
        match kind := peer.sign_in:
            case ByHeader():
                return {kind.header: f"{kind.before}{await self._house.secrets(kind.secret)}"}
            case OnBehalfOfUser():
                self._check_is_user(peer, caller)
                return {"Authorization": await self._house.authorization(caller, kind.scope)}
            case ClientCredentials():
                return _bearer(await self._own_token(peer, kind))
            case ByConsent():
                return _bearer(await self._token(peer, caller))
            case _:
                return {}

    async def challenged(self, peer: Peer, caller: Caller, www_authenticate: str, *, again: bool = False) -> None:
        """Handle a rejected sign-in before the call is repeated. `again` is true if the repeated call also failed."""
        match peer.sign_in:
            case ByConsent():
                await self._challenged(peer, caller, Challenge.read(www_authenticate), again=again)
            case ClientCredentials():
                self._own.pop(peer, None)
            case _:
                raise Refusal(
                    f"The server of the extension {peer.name!r} rejected the sign-in that the extension's entry"
                    " defines. Tell an operator."
                )

    async def signed_in_at(self, peer: Peer, caller: Caller) -> float | None:
        """Return when the caller's sign-in was last renewed, or None if the caller has not signed in on a page."""
        held = await self._keeping.find(KeptTokens, owner_of(peer, caller))
        return held.value.renewed_at if held and held.value.url == peer.url else None

    async def sign_out(self, peer: Peer, caller: Caller) -> bool | None:
        """Delete the caller's sign-in to an extension.

        Return whether the issuer confirmed the revocation, or None if the caller had no sign-in.
        """
        self._check_is_person(peer, caller)
        owner = owner_of(peer, caller)
        held = await self._keeping.find(KeptTokens, owner)
        for what in (KeptTokens, SignInDemand):
            await self._keeping.forget(what, owner)
        return await self._renewing.revoked(peer, held.value) if held else None

    def check_consent(self, peer: Peer, caller: Caller) -> ByConsent:
        """Return the settings of an extension that users sign in to on a page.

        Raises:
            Refusal: Users do not sign in to this extension on a page, or this caller cannot sign in to it.
        """
        self._check(peer)
        self._check_is_person(peer, caller)
        if not isinstance(peer.sign_in, ByConsent):
            raise Refusal(f"The extension {peer.name!r} requires no sign-in.")
        return peer.sign_in

    def _check(self, peer: Peer) -> None:
        check_sign_in(peer)
        needed = trust_for(peer)
        if needed and needed not in self._house.trusted:
            raise Refusal(
                f"The server of the extension {peer.name!r} would receive a secret or a user's token, so the"
                " extension's entry must be in the extensions file, unchanged. Ask an operator to add the entry."
            )

    def _check_is_user(self, peer: Peer, caller: Caller) -> None:
        if not (caller.kind is CallerKind.USER or self._is_at_laptop(caller)):
            raise Refusal(f"The extension {peer.name!r} works only on behalf of users. Sign in as a user.")

    def _check_is_person(self, peer: Peer, caller: Caller) -> None:
        if not (caller.is_person or self._is_at_laptop(caller)):
            raise Refusal(
                f"Only a person can sign in to the extension {peer.name!r}, and you are not signed in as a person."
            )

    def _is_at_laptop(self, caller: Caller) -> bool:
        return self._house.is_laptop and caller.kind is CallerKind.ANONYMOUS

    async def _token(self, peer: Peer, caller: Caller) -> str:
        self._check_is_person(peer, caller)
        try:
            return await self._renewing.token(peer, owner_of(peer, caller))
        except LostError as lost:
            raise self._consent(peer, str(lost)) from None

    async def _challenged(self, peer: Peer, caller: Caller, challenge: Challenge, *, again: bool) -> None:
        self._check_is_person(peer, caller)
        owner = owner_of(peer, caller)
        held = await self._keeping.find(KeptTokens, owner)
        if challenge.error == _MORE or held is None:
            await self._keeping.put(SignInDemand(owner, peer.url, challenge.scope[:1000], challenge.metadata[:2000]))
            raise self._consent(peer, "The extension's server requires you to sign in.")
        if again:
            raise self._consent(peer, "The extension's server no longer accepts your sign-in.")
        if self._house.clock() - held.value.renewed_at > _LATELY:
            await self._keeping.swap(held, replace(held.value, ends_at=0.0))

    def _consent(self, peer: Peer, why: str) -> ConsentNeededError:
        return ConsentNeededError(peer, page_of(peer.name), why)

    async def _own_token(self, peer: Peer, kind: ClientCredentials) -> str:
        async with self._asking:
            known = self._own.get(peer)
            if known is None or known.until <= self._house.clock():
                known = self._own[peer] = await self._new_own(peer, kind)
            return known.token

    async def _new_own(self, peer: Peer, kind: ClientCredentials) -> _Own:
        outgoing = self._renewing.outgoing
        server = await server_for(outgoing, peer, Challenge())
        client = await known_client(peer, kind, server, self._house.secrets)
        url = server.token_endpoint
        endpoint = TokenEndpoint(peer.name, url, server.resource, client, outgoing, is_private_at(peer, url))
        tokens = await endpoint.own(server.scope)
        return _Own(tokens.access, self._house.clock() + max(tokens.seconds - EARLY, tokens.seconds / 2))


def _bearer(token: str) -> Mapping[str, str]:
    return {"Authorization": f"Bearer {token}"}
