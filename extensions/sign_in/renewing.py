"""Renews users' tokens before they expire. Only one process at a time renews a token.

A refresh token is removed from storage before it is used. A refresh token is therefore never used twice, even if the
process is killed. Many issuers treat a second use as theft, and revoke the whole sign-in. If the process is killed
before the new token is stored, the user must sign in again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Final

from extensions.sign_in.methods import Peer, is_private_at
from extensions.sign_in.outgoing import Outgoing, UnansweredError
from extensions.sign_in.registering import RegisteredClient
from extensions.sign_in.sign_in_store import KeptTokens, SignInStore, VersionedRow
from extensions.sign_in.tokens import DeclinedError, NoTokensError, TokenEndpoint, Tokens
from refusal import Refusal

# A token is renewed this many seconds before it expires.
EARLY: Final = 120.0
# A token that cannot be renewed is used until this many seconds before it expires.
_LATEST: Final = 5.0
# After this many seconds, a renewal counts as interrupted, and another process may renew the token. No renewal takes
# this long.
CLAIM: Final = 30.0
_LOOKS: Final = 100
_PAUSE: Final = 0.1


class LostError(Refusal):
    """No token exists. The user must sign in again."""


@dataclass
class Renewing:
    keeping: SignInStore
    outgoing: Outgoing
    clock: Callable[[], float]
    _at_work: set[asyncio.Task[str]] = field(default_factory=set, init=False)

    async def token(self, peer: Peer, owner: str) -> str:
        """Return an access token that does not expire soon. Raises LostError if the user must sign in (again)."""
        for _ in range(_LOOKS):
            held = await self._held(peer, owner)
            token = self._good(held.value) or await self._claimed(peer, held)
            if token:
                return token
            await asyncio.sleep(_PAUSE)
        raise Refusal(f"Your sign-in to the extension {peer.name!r} is being renewed. Try again in a moment.")

    async def _held(self, peer: Peer, owner: str) -> VersionedRow[KeptTokens]:
        held = await self.keeping.find(KeptTokens, owner)
        if held is None:
            raise LostError("You have not signed in yet.")
        if held.value.url != peer.url:
            await self.keeping.forget(KeptTokens, owner)
            raise LostError("The URL of the extension's server has changed since you signed in.")
        return held

    def endpoint(self, peer: Peer, kept: KeptTokens) -> TokenEndpoint:
        client = RegisteredClient(kept.client_id, kept.client_secret, kept.method)
        url = kept.token_endpoint
        return TokenEndpoint(peer.name, url, kept.resource, client, self.outgoing, is_private_at(peer, url))

    def _good(self, kept: KeptTokens) -> str:
        """Return the stored token if it remains valid for long enough, otherwise an empty string.

        A token that cannot be renewed is used until shortly before it expires.
        """
        left = kept.ends_at - self.clock()
        is_renewable = bool(kept.refresh) and not kept.claimed_at
        return kept.access if left > (EARLY if is_renewable else _LATEST) else ""

    async def _claimed(self, peer: Peer, held: VersionedRow[KeptTokens]) -> str:
        """Renew the token, or return an empty string if another process is renewing it."""
        kept = held.value
        if kept.claimed_at and self.clock() - kept.claimed_at < CLAIM:
            return ""
        if not kept.refresh:
            await self.keeping.forget(KeptTokens, kept.owner)
            raise LostError("Your sign-in has expired, or its renewal was interrupted.")
        claimed = await self.keeping.swap(held, replace(kept, refresh="", claimed_at=self.clock()))
        if claimed is None:
            return ""
        # The caller may stop waiting, but the new tokens must still be stored.
        work = asyncio.create_task(self._renewed(peer, claimed, kept))
        self._at_work.add(work)
        work.add_done_callback(self._done)
        return await asyncio.shield(work)

    def _done(self, work: asyncio.Task[str]) -> None:
        self._at_work.discard(work)
        if not work.cancelled():
            work.exception()  # mark the error as handled, because the waiting caller receives the error

    async def _renewed(self, peer: Peer, claimed: VersionedRow[KeptTokens], before: KeptTokens) -> str:
        endpoint = self.endpoint(peer, before)
        try:
            tokens = await endpoint.renew(before.refresh)
        except Refusal as failure:
            if not _may_be_used(failure):
                await self.keeping.swap(claimed, before)
                raise
            await self.keeping.forget(KeptTokens, before.owner)
            raise LostError("The issuer did not renew your sign-in.") from None
        renewed = self.with_tokens(before, tokens)
        if await self.keeping.swap(claimed, renewed) is None:
            await self.revoked(peer, renewed)
            raise LostError("You signed out or signed in again in the meantime.")
        return renewed.access

    def with_tokens(self, kept: KeptTokens, tokens: Tokens) -> KeptTokens:
        now = self.clock()
        refresh = tokens.refresh or kept.refresh
        return replace(
            kept, access=tokens.access, ends_at=now + tokens.seconds, refresh=refresh, renewed_at=now, claimed_at=0.0
        )

    async def revoked(self, peer: Peer, kept: KeptTokens) -> bool:
        """Revoke all tokens at the issuer. Return whether the issuer confirmed the revocation."""
        if not kept.revocation_endpoint:
            return False
        endpoint, told = self.endpoint(peer, kept), []
        for token in filter(None, (kept.refresh, kept.access)):
            with suppress(Refusal):
                told.append(await endpoint.revoke(kept.revocation_endpoint, token))
        return bool(told) and all(told)


def _may_be_used(failure: Refusal) -> bool:
    """Check whether this error may mean that the refresh token is used up or invalid."""
    match failure:
        case UnansweredError():
            return failure.may_have_arrived
        case DeclinedError():
            return failure.is_final
        case NoTokensError():
            return True
        case _:
            return False  # the request was not sent
