"""Signs users in to extensions. Each sign-in starts and ends on pages of this server."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from secrets import token_urlsafe
from typing import ClassVar, Final
from urllib.parse import urlencode

from yarl import URL

from extensions.sign_in.methods import ByConsent, Peer, is_private_at
from extensions.sign_in.registering import RegisteredClient, Registering
from extensions.sign_in.renewing import Renewing
from extensions.sign_in.servers import Challenge, SignInServer, server_for
from extensions.sign_in.sign_in_store import KeptTokens, Pending, SignInDemand, SignInStore, VersionedRow, owner_of
from extensions.sign_in.tokens import TokenEndpoint
from identity.caller import Caller
from identity.seals import Seals
from refusal import Refusal

_LONGEST: Final = 4000
_LOST: Final = (
    "This sign-in has expired, was already used, or was started by someone else or in another browser. Nothing was"
    " changed. If you started the sign-in, start again. If someone sent you this link, close this page."
)


@dataclass(frozen=True, slots=True)
class ConsentState:
    """The sign-in state that the issuer returns: the user, browser, extension, start time, and page to return to."""

    kind: ClassVar[str] = "way back from an extension"
    seconds: ClassVar[int] = 600

    browser: str
    owner: str
    extension: str
    id: str
    redirect: str = ""


@dataclass(frozen=True, slots=True)
class Begun:
    """The URL where the user continues the sign-in."""

    url: str
    host: str


@dataclass(frozen=True)
class Consenting:
    keeping: SignInStore
    renewing: Renewing
    seals: Seals
    registering: Registering

    async def begin(self, peer: Peer, kind: ByConsent, person: Caller, browser: str, origin: str) -> Begun:
        """Start a sign-in. Raises Refusal if users cannot sign in to this extension."""
        owner = owner_of(peer, person)
        server = await server_for(self.renewing.outgoing, peer, await self._challenge(peer, owner))
        client = await self.registering.client(peer, kind, server, origin)
        state = ConsentState(browser, owner, peer.name, token_urlsafe(16), client.redirect)
        from mcp.client.auth.oauth2 import PKCEParameters

        pkce = PKCEParameters.generate()
        pending = replace(_pending(state, peer, server, client), verifier=pkce.code_verifier)
        await self.keeping.put(pending)
        url = _address(server, pending, self.seals.seal(state), pkce.code_challenge)
        return Begun(url, URL(url).host or "")

    def extension_in(self, parameters: Mapping[str, str], came_to: str) -> str:
        """Return the extension that the user signed in to before coming back to this server.

        Raises:
            Refusal: The state does not contain an extension, or the redirect URL belongs to another issuer. A code from
                another issuer must not be used.
        """
        state = self._state(parameters)
        if came_to != state.redirect:
            raise Refusal(_LOST)
        return state.extension

    async def finish(self, peer: Peer, person: Caller, browser: str, parameters: Mapping[str, str]) -> None:
        """Exchange the returned code for tokens, and store the tokens. Raises Refusal if the sign-in failed."""
        state, owner = self._state(parameters), owner_of(peer, person)
        if (state.owner, state.browser, state.extension) != (owner, browser, peer.name):
            raise Refusal(_LOST)
        pending = await self._taken(peer, state)
        _check_answer(peer, pending, parameters)
        tokens = await self._endpoint(peer, pending).redeem(parameters["code"], pending.verifier, pending.redirect)
        await self.keeping.put(self.renewing.with_tokens(_tokens_of(pending), tokens))
        await self.keeping.forget(SignInDemand, owner)

    def _state(self, parameters: Mapping[str, str]) -> ConsentState:
        state = self.seals.open(ConsentState, parameters.get("state", ""))
        if state is None:
            raise Refusal(_LOST)
        return state

    async def _challenge(self, peer: Peer, owner: str) -> Challenge:
        wanted = await self.keeping.find(SignInDemand, owner)
        if wanted is None or wanted.value.url != peer.url:
            return Challenge()
        return Challenge("", wanted.value.scope, wanted.value.metadata)

    async def _taken(self, peer: Peer, state: ConsentState) -> Pending:
        """Remove and return the pending sign-in, so that it is used only once."""
        held = await self.keeping.find(Pending, state.owner)
        if held is None or held.value.id != state.id or held.value.url != peer.url:
            raise Refusal(_LOST)
        await self._use_up(held)
        return held.value

    async def _use_up(self, held: VersionedRow[Pending]) -> None:
        if await self.keeping.swap(held, replace(held.value, id="", verifier="")) is None:
            raise Refusal(_LOST)
        await self.keeping.forget(Pending, held.value.owner)

    def _endpoint(self, peer: Peer, pending: Pending) -> TokenEndpoint:
        client = RegisteredClient(pending.client_id, pending.client_secret, pending.method)
        outgoing = self.renewing.outgoing
        url = pending.token_endpoint
        return TokenEndpoint(peer.name, url, pending.resource, client, outgoing, is_private_at(peer, url))


def _pending(state: ConsentState, peer: Peer, server: SignInServer, client: RegisteredClient) -> Pending:
    return Pending(
        owner=state.owner,
        id=state.id,
        url=peer.url,
        issuer=server.issuer,
        tells_issuer=server.tells_issuer,
        resource=server.resource,
        token_endpoint=server.token_endpoint,
        revocation_endpoint=server.revocation_endpoint,
        client_id=client.id,
        client_secret=client.secret,
        method=client.method,
        verifier="",
        redirect=client.redirect,
    )


def _tokens_of(pending: Pending) -> KeptTokens:
    return KeptTokens(
        owner=pending.owner,
        url=pending.url,
        resource=pending.resource,
        token_endpoint=pending.token_endpoint,
        revocation_endpoint=pending.revocation_endpoint,
        client_id=pending.client_id,
        client_secret=pending.client_secret,
        method=pending.method,
        access="",
        ends_at=0.0,
        refresh="",
        renewed_at=0.0,
    )


def _address(server: SignInServer, pending: Pending, state: str, challenge: str) -> str:
    """Return the issuer's URL for the sign-in.

    Query parameters that the URL already has are kept, unless this server sets parameters with the same names.
    """
    asked = _parameters(server, pending, state, challenge)
    address = URL(server.authorization_endpoint, encoded=True)
    own = [(name, value) for name, value in address.query.items() if name not in {*asked, "scope", "response_mode"}]
    return f"{str(address).partition('?')[0]}?{urlencode([*own, *asked.items()])}"


def _parameters(server: SignInServer, pending: Pending, state: str, challenge: str) -> dict[str, str]:
    return {
        "response_type": "code",
        "client_id": pending.client_id,
        "redirect_uri": pending.redirect,
        "state": state,
        "code_challenge": challenge,
        "code_challenge_method": "S256",
        "resource": server.resource,
        **({"scope": server.scope} if server.scope else {}),
    }


def _check_answer(peer: Peer, pending: Pending, parameters: Mapping[str, str]) -> None:
    """Raise Refusal if the answer is an error, or does not come from the extension's issuer."""
    issuer = parameters.get("iss")
    if issuer != pending.issuer and (issuer is not None or pending.tells_issuer):
        raise Refusal(
            f"The answer is not from the issuer of the extension {peer.name!r}. Nothing was changed. Start again."
        )
    code = parameters.get("code", "")
    if not code or "error" in parameters:
        raise Refusal(f"You were not signed in to the extension {peer.name!r}. Nothing was changed. Start again.")
    if len(code) > _LONGEST or not (code.isascii() and code.isprintable()):
        raise Refusal("The issuer answered with an invalid code. Nothing was changed. Start again.")
