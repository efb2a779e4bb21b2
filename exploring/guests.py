"""Visitors to the web pages, and their permissions. To open a page, a visitor must be allowed to call the tool that
returns the same data.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from browsing.browser import Session
from browsing.rendering import Frame
from browsing.visiting import Visiting, Visitor
from exploring.rendering import page
from identity.caller import Caller
from mcp_server.calls.audit import Outcome
from mcp_server.catalog.catalog import Selection
from mcp_server.catalog.catalogs import Catalogs
from mcp_server.http.messages import HttpAnswer, HttpRequest
from mcp_server.view import View
from mcp_server.visit import Trace
from refusal import Refusal

# The maximum length of a query string that is preserved during a sign-in. A longer query string is dropped, so the user
# returns to the URL without it.
_LONGEST_QUERY: Final = 1000
_NOT_HERE: Final = "This page requires the tool {tool}, which this server does not offer. Ask an operator to enable it."
_NOT_GRANTED: Final = "Your roles do not allow {tool}, which this page requires. Ask an administrator for access."


@dataclass(frozen=True, slots=True)
class ToolName:
    toolset: str
    name: str


@dataclass(frozen=True, slots=True)
class Guest:
    """A visitor, and what they may see. `cookie` is the response header that sets the session cookie."""

    person: Caller
    view: View
    session: Session
    cookie: Mapping[str, str]
    frame: Frame

    def may(self, tool: ToolName) -> bool:
        return self.view.opens(tool.toolset, tool.name)

    def page(self, template: str, status: int = 200, **shown: Any) -> HttpAnswer:
        return page(template, status, self.cookie, frame=self.frame, person=self.person, **shown)


Showing = Callable[[Guest, HttpRequest], Awaitable[HttpAnswer]]
Greeting = Callable[[HttpRequest, Session | None], HttpAnswer]


@dataclass(frozen=True)
class Guests:
    visiting: Visiting
    catalogs: Callable[[], Catalogs]
    frame: Frame
    # The reason why users cannot sign in with a browser, or an empty string if they can.
    lacking: str = ""

    async def received(
        self,
        request: HttpRequest,
        showing: Showing,
        shows: ToolName | None = None,
        greeting: Greeting | None = None,
    ) -> HttpAnswer:
        """Show a page to a visitor who may call the equivalent tool. Visitors who are not signed in see the `greeting`
        page or, if there is none, are redirected to the sign-in.
        """
        answering = partial(self._answered, showing, shows, greeting)
        return await self.visiting.received(request, answering, f"explorer: {request.path[:60]}")

    async def _answered(
        self, showing: Showing, shows: ToolName | None, greeting: Greeting | None, request: HttpRequest, trace: Trace
    ) -> HttpAnswer:
        if self.lacking and greeting:
            trace.presents = False
            return greeting(request, None)
        visitor = await self.visiting.visitor(request, trace)
        if isinstance(visitor, Session):
            trace.presents = False
            return greeting(request, visitor) if greeting else self._to_sign_in(request, visitor)
        return await self._shown(showing, shows, visitor, request, trace)

    async def _shown(
        self, showing: Showing, shows: ToolName | None, visitor: Visitor, request: HttpRequest, trace: Trace
    ) -> HttpAnswer:
        grants = self.visiting.reception.door.grants_of(visitor.person)
        catalog = await self.catalogs().begun()
        view = catalog.view(Selection(), grants)
        trace.requester = replace(trace.requester, grants=grants, view=view)
        guest = Guest(visitor.person, view, visitor.session, visitor.cookie, self.frame)
        trace.presents = False
        if shows and not guest.may(shows):
            is_here = bool(catalog.command(shows.toolset, shows.name))
            self.visiting.reception.record(trace, Outcome.DENIED if is_here else Outcome.REFUSED)
            message = (_NOT_GRANTED if is_here else _NOT_HERE).format(tool=shows.name)
            return guest.page("failure.html", 403 if is_here else 404, title="Not for you", message=message)
        try:
            return await showing(guest, request)
        except Refusal as refusal:
            return guest.page("failure.html", 503, title="Not available", message=str(refusal))

    def _to_sign_in(self, request: HttpRequest, session: Session) -> HttpAnswer:
        asked = f"?{request.query}" if 0 < len(request.query) <= _LONGEST_QUERY else ""
        return self.visiting.to_sign_in(request, session, f"{request.path}{asked}")
