"""The web pages for browsing. Each page requires the permission to call a tool."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from browsing.browser import Session
from changes.approvals import Approvals
from exploring.connecting import clients_of, connect
from exploring.guests import Guests, ToolName
from exploring.here import HerePage
from exploring.overview import PATH as HOME
from exploring.overview import Overviews
from exploring.rendering import page
from exploring.retiring import RetirementPages
from exploring.searching import Libraries, SearchPages
from mcp_server.http.messages import HttpAnswer, HttpRequest
from mcp_server.http.pages import parameters_of

_SIGN_IN = "sign-in"


@dataclass(frozen=True)
class ExplorerPages:
    """Routes requests to the web pages. Visitors who can call the tool `searches` can see the pages about updates."""

    guests: Guests
    library: Libraries
    approvals: Approvals
    searches: ToolName
    finds_here: HerePage
    search_pages: SearchPages

    async def home(self, request: HttpRequest) -> HttpAnswer:
        overviews = Overviews(self.library, self.approvals, self.searches, self.finds_here.tool)
        return await self.guests.received(request, overviews.show, greeting=self._greet)

    async def updates(self, request: HttpRequest) -> HttpAnswer:
        return await self.guests.received(request, self.search_pages.search, self.searches)

    async def update(self, request: HttpRequest, update_id: str) -> HttpAnswer:
        return await self.guests.received(request, partial(self.search_pages.update, update_id), self.searches)

    async def retirements(self, request: HttpRequest) -> HttpAnswer:
        return await self.guests.received(request, RetirementPages(self.library).timeline, self.searches)

    async def calendar(self, request: HttpRequest) -> HttpAnswer:
        return await self.guests.received(request, RetirementPages(self.library).calendar, self.searches)

    async def here(self, request: HttpRequest) -> HttpAnswer:
        return await self.guests.received(request, self.finds_here.show)

    async def connect(self, request: HttpRequest) -> HttpAnswer:
        return await self.guests.received(request, connect)

    def _greet(self, request: HttpRequest, session: Session | None) -> HttpAnswer:
        """Show the page for visitors who are not signed in."""
        if session and _SIGN_IN in parameters_of(request):
            return self.guests.visiting.to_sign_in(request, session, HOME)
        address = f"{request.origin}/mcp"
        return page(
            "landing.html",
            frame=self.guests.frame,
            here=HOME,
            person=None,
            address=address,
            clients=clients_of(address),
            can_sign_in=bool(session),
            why_not=self.guests.lacking,
        )
