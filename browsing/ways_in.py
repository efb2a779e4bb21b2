"""How people come in to these pages, by the way in which this server knows its callers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from secrets import token_urlsafe
from typing import ClassVar, Final, Protocol
from urllib.parse import quote

from browsing.browser import Session
from identity.bridge.authority import AuthorityClient, Declined
from identity.bridge.browser_tokens import BrowserTokens
from identity.caller import ANONYMOUS, Caller
from identity.denial import Denial
from identity.door import Door
from identity.id_tokens import signed_in_at
from identity.platform_sign_in import check_browser
from identity.seals import Seals, encoded
from mcp_server.http.messages import HttpRequest
from refusal import Refusal

# Where App Service signs a browser in and out.
_PLATFORM_IN: Final = "/.auth/login/aad?post_login_redirect_uri="
_PLATFORM_OUT: Final = "/.auth/logout"
_NO_PERSON: Final = (
    "Only a person decides here. You signed in as an application or an agent, or with an account that belongs to an"
    " agent."
)
_LOST: Final = (
    "This sign-in has expired, or was started in another browser. If you started it, open the page again. If"
    " somebody sent you here, close this page."
)


class WayIn(Protocol):
    # Where somebody signs out who does it elsewhere; nothing where nobody can, or here.
    signs_out_at: str
    # Whether who signed in is kept in the cookie of these pages.
    keeps_sessions: bool

    async def person(self, request: HttpRequest, session: Session | None) -> Caller | None:
        """Who is at the browser; nobody, where they have to sign in first.

        Raises:
            Denial, Refusal: They cannot decide here, whatever they do.
        """

    async def proving(self, request: HttpRequest, session: Session) -> HttpRequest | None:
        """The request as one that proves to services who is at the browser; none, where they have to sign in anew.

        Raises:
            Refusal: That cannot be told at present.
        """

    async def forget(self, session: Session) -> None:
        """Remove what is kept of who signs out.

        Raises:
            Refusal: It cannot be removed at present.
        """

    def sign_in(self, session: Session, path: str, *, again: bool) -> str:
        """The address to which the browser is sent to sign in, `again` where it may not rest on an earlier time."""


class _WithoutSessions:
    """A way in on which each request proves by itself who is there, if anybody, and nothing is kept."""

    async def proving(self, request: HttpRequest, _session: Session) -> HttpRequest | None:
        return request

    async def forget(self, _session: Session) -> None:
        """There is nothing."""


@dataclass(frozen=True)
class Nowhere(_WithoutSessions):
    """Nobody can sign in; `words` say what an operator has to set."""

    words: str
    signs_out_at = ""
    keeps_sessions = False

    async def person(self, _request: HttpRequest, _session: Session | None) -> Caller | None:
        raise Refusal(self.words)

    def sign_in(self, _session: Session, _path: str, *, again: bool) -> str:  # noqa: ARG002 - as all others
        raise Refusal(self.words)


@dataclass(frozen=True)
class Anyone(_WithoutSessions):
    """Nobody signs in, and everybody may look around: what is open to strangers, their grants decide."""

    signs_out_at = ""
    keeps_sessions = False

    async def person(self, _request: HttpRequest, _session: Session | None) -> Caller | None:
        return ANONYMOUS

    def sign_in(self, _session: Session, _path: str, *, again: bool) -> str:  # noqa: ARG002 - as all others
        raise Refusal("Nobody signs in here.")


@dataclass(frozen=True)
class AtTheLaptop(_WithoutSessions):
    """Nobody signs in, so only whoever sits at the machine is let in."""

    signs_out_at = ""
    keeps_sessions = False

    async def person(self, request: HttpRequest, _session: Session | None) -> Caller | None:
        # Only this machine is reached without TLS; of the other names that settings add, anybody could use one.
        if not request.origin.startswith("http://"):
            raise Refusal("Nobody signs in here, so this page is shown on this machine only, at localhost.")
        return ANONYMOUS

    def sign_in(self, _session: Session, _path: str, *, again: bool) -> str:  # noqa: ARG002 - as all others
        raise Refusal("Nobody signs in here.")


@dataclass(frozen=True)
class BehindThePlatform(_WithoutSessions):
    """App Service signed them in with its cookie, or does so at an address of its own."""

    door: Door
    signs_out_at = _PLATFORM_OUT
    keeps_sessions = False

    async def person(self, request: HttpRequest, _session: Session | None) -> Caller | None:
        try:
            person = _checked(await self.door.enter(request.headers))
        except Denial as denial:
            if denial.error:
                raise
            return None
        check_browser(request.headers, person)
        return person

    def sign_in(self, _session: Session, path: str, *, again: bool) -> str:
        onward = f"{_PLATFORM_IN}{quote(path, safe='')}"
        # Who has signed out has to prove anew who they are.
        return f"{_PLATFORM_OUT}?post_logout_redirect_uri={quote(onward, safe='')}" if again else onward


@dataclass(frozen=True, slots=True)
class Arrival:
    """A sign-in under way: of which browser, where it leads, and what proves that the answer is to it."""

    kind: ClassVar[str] = "arrival at changes"
    seconds: ClassVar[int] = 600

    browser: str
    path: str
    verifier: str


@dataclass(frozen=True)
class ByEntra:
    """Sign-in at the authority at which the bridge is registered. `scope` is the one that every token has.

    Of the tokens of a sign-in, the access token is kept in `tokens` where a page needs it, and no other.
    """

    door: Door
    authority: AuthorityClient
    scope: str
    seals: Seals
    tokens: BrowserTokens
    signs_out_at = ""
    keeps_sessions = True

    async def person(self, _request: HttpRequest, session: Session | None) -> Caller | None:
        person = session.person if session else None
        if person:
            self.door.count_caller(person)
        return person

    async def proving(self, request: HttpRequest, session: Session) -> HttpRequest | None:
        person = session.person
        token = await self.tokens.token(session.kept_token, session.browser, person) if person else ""
        if not token:
            return None
        # The cookie says nothing to services, and stays behind.
        others = {name: value for name, value in request.headers.items() if name != "cookie"}
        return replace(request, headers={**others, "authorization": f"Bearer {token}"})

    async def forget(self, session: Session) -> None:
        await self.tokens.forget(session.kept_token)

    def sign_in(self, session: Session, path: str, *, again: bool) -> str:
        verifier = token_urlsafe(32)
        state = self.seals.seal(Arrival(session.browser, path, verifier))
        challenge = encoded(sha256(verifier.encode()).digest())
        recent = {"prompt": "login", "max_age": "0"} if again else {}
        return self.authority.sign_in_url(self.scope, state, challenge, **recent)

    def is_for_us(self, state: str) -> bool:
        """Whether the authority answers a sign-in that began here, and not in a client."""
        return self.seals.open(Arrival, state) is not None

    async def come_back(self, parameters: Mapping[str, str], session: Session | None) -> tuple[Session, str]:
        """The session of who has signed in, and where they were going.

        Raises:
            Denial, Refusal: They did not, or cannot decide here.
        """
        arrival = self.seals.open(Arrival, parameters.get("state", ""))
        if not (arrival and session and session.browser == arrival.browser):
            raise Refusal(_LOST)
        if not parameters.get("code"):
            raise Refusal("You have not signed in, so nothing is shown. Open the page again to sign in.")
        person = await self._verified(parameters["code"], arrival.verifier)
        begun = Session.of(person)
        name = await self.tokens.keep(begun.browser, person, instead_of=session.kept_token)
        return replace(begun, kept_token=name), arrival.path

    async def _verified(self, code: str, verifier: str) -> Caller:
        """Who signed in, verified as for any call, with the access token that proves it."""
        try:
            tokens = await self.authority.redeem(code, verifier, self.scope)
        except Declined as declined:
            raise Refusal(f"The sign-in did not succeed: {declined.description} Open the page again.") from None
        person = _checked(await self.door.enter({"authorization": f"Bearer {tokens.access_token}"}))
        # Access tokens say when a person signed in only where a registration has that optional claim.
        when = person.signed_in_at or signed_in_at(tokens.id_token, self.authority.client_id, person)
        return replace(person, signed_in_at=when)


def _checked(caller: Caller) -> Caller:
    if not caller.is_person:
        raise Denial(_NO_PERSON, "insufficient_scope")
    return caller
