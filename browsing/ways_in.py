"""Sign-in to the web pages, with one class for each authentication mode of the server."""

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

# The paths where App Service signs users in and out.
_PLATFORM_IN: Final = "/.auth/login/aad?post_login_redirect_uri="
_PLATFORM_OUT: Final = "/.auth/logout"
_NO_PERSON: Final = (
    "Only people can decide on changes. You signed in as an application or an agent, or with an account that belongs to"
    " an agent."
)
_LOST: Final = (
    "This sign-in has expired, or was started in another browser. If you started the sign-in, open the page again. If"
    " somebody sent you here, close this page."
)


class WayIn(Protocol):
    # The App Service sign-out path, if App Service signs users out. Otherwise empty.
    signs_out_at: str
    # Whether the session cookie stores the signed-in user.
    keeps_sessions: bool

    async def person(self, request: HttpRequest, session: Session | None) -> Caller | None:
        """The user of the browser, or None if the user must sign in first.

        Raises:
            Denial, Refusal: The user cannot use the pages. Signing in again would not help.
        """

    async def proving(self, request: HttpRequest, session: Session) -> HttpRequest | None:
        """Add a proof of the user's identity to the request, for the services that this server calls.

        Return None if the user must sign in again.

        Raises:
            Refusal: The proof is temporarily unavailable.
        """

    async def forget(self, session: Session) -> None:
        """Delete the data stored about a user who signs out.

        Raises:
            Refusal: The data cannot be deleted now.
        """

    def sign_in(self, session: Session, path: str, *, again: bool) -> str:
        """The URL where the user signs in. If `again` is true, the user must sign in even if a session exists."""


class _WithoutSessions:
    """The base class for modes without stored sessions.

    Depending on the mode, each request is authenticated separately or not at all.
    """

    async def proving(self, request: HttpRequest, _session: Session) -> HttpRequest | None:
        return request

    async def forget(self, _session: Session) -> None:
        """Do nothing, because this mode stores no data."""


@dataclass(frozen=True)
class Nowhere(_WithoutSessions):
    """The mode in which sign-in to pages is not configured. The message in `words` names the missing settings."""

    words: str
    signs_out_at = ""
    keeps_sessions = False

    async def person(self, _request: HttpRequest, _session: Session | None) -> Caller | None:
        raise Refusal(self.words)

    def sign_in(self, _session: Session, _path: str, *, again: bool) -> str:  # noqa: ARG002 - shared interface
        raise Refusal(self.words)


@dataclass(frozen=True)
class Anyone(_WithoutSessions):
    """The server has no sign-in. Everyone can see what anonymous callers can see."""

    signs_out_at = ""
    keeps_sessions = False

    async def person(self, _request: HttpRequest, _session: Session | None) -> Caller | None:
        return ANONYMOUS

    def sign_in(self, _session: Session, _path: str, *, again: bool) -> str:  # noqa: ARG002 - shared interface
        raise Refusal("This server has no sign-in.")


@dataclass(frozen=True)
class AtTheLaptop(_WithoutSessions):
    """The server has no sign-in and runs on a laptop. Only users of this machine have access."""

    signs_out_at = ""
    keeps_sessions = False

    async def person(self, request: HttpRequest, _session: Session | None) -> Caller | None:
        # Check the scheme, because only local requests use http. A configured host name may be reachable from
        # other machines, unless it is localhost.
        if not request.origin.startswith("http://"):
            raise Refusal("This server has no sign-in, so it shows this page only on this machine, at localhost.")
        return ANONYMOUS

    def sign_in(self, _session: Session, _path: str, *, again: bool) -> str:  # noqa: ARG002 - shared interface
        raise Refusal("This server has no sign-in.")


@dataclass(frozen=True)
class BehindThePlatform(_WithoutSessions):
    """App Service signs users in. App Service sets its own cookie and has its own sign-in page."""

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
        # Sign out of App Service first, so that the user must authenticate again.
        return f"{_PLATFORM_OUT}?post_logout_redirect_uri={quote(onward, safe='')}" if again else onward


@dataclass(frozen=True, slots=True)
class Arrival:
    """A sign-in that has begun: the browser, the page to open afterwards, and the PKCE verifier."""

    kind: ClassVar[str] = "arrival at changes"
    seconds: ClassVar[int] = 600

    browser: str
    path: str
    verifier: str


@dataclass(frozen=True)
class ByEntra:
    """Signs users in at the identity provider of the bridge. Every token has the scope that `scope` names.

    Only access tokens are stored, in `tokens`, and only if a page needs them.
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
        # Do not forward the session cookie, because other services do not need it.
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
        """Whether `state` belongs to a sign-in to these pages, and not to the sign-in of an MCP client."""
        return self.seals.open(Arrival, state) is not None

    async def come_back(self, parameters: Mapping[str, str], session: Session | None) -> tuple[Session, str]:
        """Complete the sign-in. Return the session of the user, and the page that the user wanted to open."""
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
        """Exchange the code for an access token, and verify the user in the same way as every other caller."""
        try:
            tokens = await self.authority.redeem(code, verifier, self.scope)
        except Declined as declined:
            raise Refusal(f"The sign-in did not succeed: {declined.description} Open the page again.") from None
        person = _checked(await self.door.enter({"authorization": f"Bearer {tokens.access_token}"}))
        # Access tokens contain the time of the sign-in only if the app registration has that optional claim.
        when = person.signed_in_at or signed_in_at(tokens.id_token, self.authority.client_id, person)
        return replace(person, signed_in_at=when)


def _checked(caller: Caller) -> Caller:
    if not caller.is_person:
        raise Denial(_NO_PERSON, "insufficient_scope")
    return caller
