"""The page where users sign in to an extension or sign out of it, and the redirect URI for the extension's issuer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final
from urllib.parse import quote

from browsing.browser import Session
from browsing.forms import DECISION, TICKET, Ticket, check_ticket, fields_of
from browsing.rendering import GUARDING, Frame
from browsing.visiting import Visiting, Visitor
from deciding.rendering import page
from extensions.entry import Entry
from extensions.sign_in.methods import origin_of, page_of
from extensions.sign_in.sign_ins import SignIns
from identity.caller import Caller
from mcp_server.calls.audit import Outcome
from mcp_server.calls.recording import record_attempt
from mcp_server.http.messages import HttpAnswer, HttpRequest
from mcp_server.http.pages import parameters_of
from mcp_server.visit import Trace
from refusal import Refusal

_BEGIN, _SIGN_OUT = "begin", "sign-out"
_UNKNOWN: Final = "This extension does not exist, does not require sign-in, or is not available to you."
_ENDED: Final = "You are no longer signed in to this server, so nothing was done. Open the page again."
_SIGNED_OUT: Final = {
    None: "You were not signed in.",
    True: "You are signed out. The issuer confirmed that your sign-in is revoked.",
    False: "This server has deleted your sign-in. The issuer did not confirm the revocation."
    " Revoke your sign-in at the issuer as well.",
}


_NO_FRAME: Final = Frame()


@dataclass(frozen=True)
class SignInPages:
    visiting: Visiting
    sign_ins: SignIns
    # Returns the extension with this name.
    entry: Callable[[str], Entry | None]
    # Returns whether a user can use or manage the extension with this name.
    is_for: Callable[[Caller, str], bool]
    frame: Frame = _NO_FRAME

    async def extension(self, request: HttpRequest, name: str) -> HttpAnswer:
        """Show whether the user is signed in to an extension, start a sign-in, or sign the user out."""
        if request.method == "POST":
            return await self.visiting.received(request, partial(self._receive, name), "extension: sign in or out")
        return await self.visiting.received(request, partial(self._show, name), "extension: look")

    async def come_back(self, request: HttpRequest) -> HttpAnswer:
        """Complete the sign-in after the extension's issuer has redirected the browser to this server."""
        return await self.visiting.received(request, self._come_back, "extension: come back")

    async def _show(self, name: str, request: HttpRequest, trace: Trace) -> HttpAnswer:
        visitor = await self.visiting.visitor(request, trace)
        if isinstance(visitor, Session):
            trace.presents = False
            return self.visiting.to_sign_in(request, visitor, page_of(name[:100]))
        entry = self._visible(name, visitor)
        if entry is None:
            return self._not_found(visitor, trace)
        trace.presents = False
        return await self._page(entry, visitor)

    async def _receive(self, name: str, request: HttpRequest, trace: Trace) -> HttpAnswer:
        visitor = await self.visiting.visitor(request, trace)
        if isinstance(visitor, Session):
            raise Refusal(_ENDED)
        fields = fields_of(request)
        entry = self._visible(name, visitor)
        if entry is None:
            return self._not_found(visitor, trace)
        check_ticket(self.visiting.seals, fields.get(TICKET, ""), _ticket(visitor, entry))
        try:
            match fields.get(DECISION):
                case "begin":
                    return await self._begin(entry, visitor, request, trace)
                case "sign-out":
                    return await self._sign_out(entry, visitor, trace)
        except Refusal as refusal:
            return await self._refused(entry, visitor, trace, refusal)
        raise Refusal(f"{DECISION} must be {_BEGIN} or {_SIGN_OUT}.")

    async def _begin(self, entry: Entry, visitor: Visitor, request: HttpRequest, trace: Trace) -> HttpAnswer:
        kind = self.sign_ins.check_consent(entry, visitor.person)
        browser = visitor.session.browser
        begun = await self.sign_ins.consenting.begin(entry, kind, visitor.person, browser, request.origin)
        record_attempt(trace, "extension: begin to sign in", Outcome.DONE)
        return self._page_about("leaving.html", entry, visitor, begun=begun)

    async def _sign_out(self, entry: Entry, visitor: Visitor, trace: Trace) -> HttpAnswer:
        is_void = await self.sign_ins.sign_out(entry, visitor.person)
        record_attempt(trace, "extension: sign out", Outcome.DONE)
        return await self._page(entry, visitor, said=_SIGNED_OUT[is_void])

    async def _come_back(self, request: HttpRequest, trace: Trace) -> HttpAnswer:
        parameters = parameters_of(request)
        came_to = f"{request.origin}{quote(request.path)}"
        name = self.sign_ins.consenting.extension_in(parameters, came_to)
        visitor = await self.visiting.visitor(request, trace)
        if isinstance(visitor, Session):
            raise Refusal(_ENDED)
        entry = self._visible(name, visitor)
        if entry is None:
            return self._not_found(visitor, trace)
        try:
            await self.sign_ins.consenting.finish(entry, visitor.person, visitor.session.browser, parameters)
        except Refusal as refusal:
            return await self._refused(entry, visitor, trace, refusal)
        record_attempt(trace, "extension: sign in", Outcome.DONE)
        # Omit the query string, which contains the authorization code.
        return HttpAnswer(303, b"", {**GUARDING, **visitor.cookie, "location": page_of(entry.name)})

    def _visible(self, name: str, visitor: Visitor) -> Entry | None:
        entry = self.entry(name)
        return entry if entry and entry.is_consented and self.is_for(visitor.person, name) else None

    def _not_found(self, visitor: Visitor, trace: Trace) -> HttpAnswer:
        self.visiting.reception.record(trace, Outcome.REFUSED)
        return page(
            "failure.html",
            404,
            visitor.cookie,
            frame=self.frame,
            title="Not Found",
            message=_UNKNOWN,
            person=visitor.person,
        )

    async def _refused(self, entry: Entry, visitor: Visitor, trace: Trace, refusal: Refusal) -> HttpAnswer:
        self.visiting.reception.record(trace, Outcome.REFUSED)
        return await self._page(entry, visitor, problem=str(refusal), status=409)

    async def _page(
        self, entry: Entry, visitor: Visitor, *, said: str = "", problem: str = "", status: int = 200
    ) -> HttpAnswer:
        since = await self.sign_ins.signed_in_at(entry, visitor.person)
        return self._page_about("sign_in.html", entry, visitor, status, since=since, said=said, problem=problem)

    def _page_about(self, template: str, entry: Entry, visitor: Visitor, status: int = 200, **shown: Any) -> HttpAnswer:
        return page(
            template,
            status,
            visitor.cookie,
            entry=entry,
            place=origin_of(entry.url),
            person=visitor.person,
            ticket=self.visiting.seals.seal(_ticket(visitor, entry)),
            frame=self.frame,
            **shown,
        )


def _ticket(visitor: Visitor, entry: Entry) -> Ticket:
    return visitor.ticket(f"extension {entry.name}", entry.url)
