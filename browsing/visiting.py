"""Identifies visitors to the pages. Visitors who have not signed in are sent to the sign-in page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from browsing.browser import Cookie, Session
from browsing.forms import Ticket, check_is_from_here
from browsing.rendering import GUARDING, failure_page
from browsing.ways_in import ByEntra, WayIn
from identity.caller import Caller
from identity.seals import Seals, fingerprint
from mcp_server.calls.audit import Outcome
from mcp_server.calls.recording import record_attempt
from mcp_server.http.messages import HttpAnswer, HttpRequest
from mcp_server.http.pages import parameters_of
from mcp_server.http.reception import Answering, Interface, Reception
from mcp_server.visit import Requester, Trace
from refusal import Refusal

# All origins are allowed at this point, because `check_is_from_here` checks the origin of forms more strictly.
_PAGES: Final = Interface(failure_page, ("GET", "POST"), is_for_any_origin=True)


@dataclass(frozen=True, slots=True)
class Visitor:
    """A signed-in visitor and the browser session.

    `cookie` is the Set-Cookie header if the browser has no session yet.
    """

    person: Caller
    session: Session
    cookie: Mapping[str, str]

    def ticket(self, about: str = "", digest: str = "") -> Ticket:
        return Ticket(self.session.browser, fingerprint(*self.person.person), about, digest)


@dataclass(frozen=True)
class Visiting:
    reception: Reception
    seals: Seals
    way_in: Callable[[str], WayIn]

    async def received(self, request: HttpRequest, answering: Answering, tried: str) -> HttpAnswer:
        # Record rejected visitors, too, because only a few people are allowed to see these pages.
        came = Requester.of(request.address, request.invocation, request.headers)
        trace = Trace(came, tried=lambda: tried, presents=True)

        async def answer(request: HttpRequest, trace: Trace) -> HttpAnswer:
            if request.method == "POST":
                check_is_from_here(request)
            return await answering(request, trace)

        return await self.reception.receive(request, trace, answer, _PAGES)

    async def visitor(self, request: HttpRequest, trace: Trace) -> Visitor | Session:
        """Identify the visitor. If the visitor must sign in first, return the browser session instead of a visitor."""
        cookie = Cookie(self.seals, request.origin)
        known = cookie.session(request.headers)
        session = known or Session.new()
        person = await self.way_in(request.origin).person(request, known)
        if person is None:
            return session
        trace.let_in(person)
        return Visitor(person, session, {} if known else {"set-cookie": cookie.setting(session)})

    def to_sign_in(self, request: HttpRequest, session: Session, path: str, *, again: bool = False) -> HttpAnswer:
        where = self.way_in(request.origin).sign_in(session, path, again=again)
        cookie = Cookie(self.seals, request.origin).setting(session)
        return HttpAnswer(302, b"", {**GUARDING, "location": where, "set-cookie": cookie})

    async def sign_out(self, request: HttpRequest) -> Mapping[str, str]:
        """Sign the visitor out, and delete the data stored for the session.

        Return the header that deletes the cookie.
        """
        cookie = Cookie(self.seals, request.origin)
        if session := cookie.session(request.headers):
            await self.way_in(request.origin).forget(session)
        return {"set-cookie": cookie.ending}

    def is_back(self, request: HttpRequest) -> bool:
        """Whether this request is the redirect that completes a sign-in to these pages.

        Other redirects complete the sign-ins of MCP clients.
        """
        way = self.way_in(request.origin)
        return isinstance(way, ByEntra) and way.is_for_us(parameters_of(request).get("state", ""))

    async def come_back(self, request: HttpRequest) -> HttpAnswer:
        return await self.received(request, self._signed_in, "changes: sign in")

    async def _signed_in(self, request: HttpRequest, trace: Trace) -> HttpAnswer:
        way = self.way_in(request.origin)
        if not isinstance(way, ByEntra):
            raise Refusal("The pages of this server use another way to sign in.")
        cookie = Cookie(self.seals, request.origin)
        session, path = await way.come_back(parameters_of(request), cookie.session(request.headers))
        trace.let_in(session.person or trace.requester.caller)
        record_attempt(trace, "changes: sign in", Outcome.DONE)
        return HttpAnswer(302, b"", {**GUARDING, "location": path, "set-cookie": cookie.setting(session)})
