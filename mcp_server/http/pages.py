"""Serves pages for browsers and other programs.

The host, the sign-in and the caller's access are checked in the same way as for MCP requests.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, Protocol
from urllib.parse import parse_qs

from identity.caller import Caller
from identity.denial import Denial
from mcp_server.catalog.catalog import Catalog
from mcp_server.catalog.narrowing import tools_of
from mcp_server.http.choosing import choice_in, selection_of, together
from mcp_server.http.messages import HttpAnswer, HttpRequest
from mcp_server.http.reception import Answering, Interface, Reception
from mcp_server.http.rest_sessions import RestSessions
from mcp_server.visit import Requester, Trace

PLAIN_TEXT: Final = "text/plain; charset=utf-8"
# The query parameter with the token of a personal link.
PERSONAL: Final = "feed"
ANY_METHOD: Final = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


class Addresses(Protocol):
    """Finds the owner of a personal link by its token."""

    async def caller_of(self, token: str, /) -> Caller: ...


@dataclass(frozen=True, slots=True)
class Page:
    """A page. `shows` is the name of a tool that returns the same data: a caller needs access to this tool to see the
    page.

    A page without `shows` is public. If `is_only_personal` is set, the page requires a personal link.
    """

    answer: Answering
    methods: tuple[str, ...] = ("GET",)
    shows: str = ""
    is_only_personal: bool = False
    # Whether scripts from any origin may request this page.
    is_for_any_origin: bool = False

    @property
    def interface(self) -> Interface:
        return Interface(plain_error, self.methods, self.is_for_any_origin)


class Pages:
    def __init__(
        self,
        reception: Reception,
        catalog: Callable[[], Catalog],
        addresses: Callable[[], Addresses],
        sessions: RestSessions,
    ) -> None:
        self._reception = reception
        self._catalog = catalog
        self._addresses = addresses
        self._sessions = sessions

    async def handle(self, request: HttpRequest, page: Page) -> HttpAnswer:
        trace = Trace(Requester.of(request.address, request.invocation, request.headers))
        trace.tried = lambda: f"page of {page.shows}" if page.shows else "page"
        return await self._reception.receive(request, trace, partial(self._answer, page), page.interface)

    async def _answer(self, page: Page, request: HttpRequest, trace: Trace) -> HttpAnswer:
        if not page.shows:
            self._reception.gate.check_size(request)
            return await page.answer(request, trace)
        catalog = self._catalog()
        tools = catalog.named(page.shows)
        if not tools:
            return plain_error(404, 0, "This page does not exist.")
        tool = tools[0]
        trace.presents = PERSONAL in parameters_of(request)
        caller = await self._caller(page, request)
        trace.let_in(caller)
        trace.presents = False  # the personal link is valid, so no record is needed
        grants = self._reception.door.grants_of(caller)
        if not grants.allow(tool.toolset, tool.original.name, tool.access):
            raise self._reception.door.denial_of(tool.toolset, tool.original.name, tool.access)
        chosen = together(self._sessions.choice(caller, request.headers), choice_in(request.headers))
        view = catalog.view(selection_of(chosen), grants)
        trace.requester = replace(trace.requester, grants=grants, view=view)
        if tool.original not in tools_of(view.toolsets):
            return plain_error(404, 0, "Your request headers exclude this page.")
        return await page.answer(request, trace)

    async def _caller(self, page: Page, request: HttpRequest) -> Caller:
        if token := parameters_of(request).get(PERSONAL):
            caller = await self._addresses().caller_of(token)
            self._reception.door.count_caller(caller)
            return caller
        if page.is_only_personal:
            raise Denial("This page requires a personal link.", error="")
        return await self._reception.door.enter(request.headers)


def parameters_of(request: HttpRequest) -> Mapping[str, str]:
    """The query parameters. If a parameter is repeated, the last value is used."""
    return {name: values[-1] for name, values in parse_qs(request.query, keep_blank_values=True).items()}


def plain_error(status: int, _code: int, message: str, headers: Mapping[str, str] | None = None) -> HttpAnswer:
    return HttpAnswer(status, message.encode(), {"content-type": PLAIN_TEXT, **(headers or {})})
