"""Configures the explorer. This module is imported when the first page of the explorer is requested."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

from app.approving import page_lacking
from browsing.rendering import Frame, Link
from browsing.visiting import Visiting
from browsing.ways_in import Anyone
from changes.approvals import Approvals
from exploring import connecting, overview, retiring, searching
from exploring.guests import Guest, Guests, ToolName
from exploring.here import HerePage
from exploring.pages import ExplorerPages
from exploring.searching import Libraries, SearchPages
from identity.caller import CallerKind
from identity.personal_addresses import PersonalAddresses
from mcp_server.catalog.catalogs import Catalogs
from mcp_server.http.endpoint import Endpoint
from mcp_server.http.messages import HttpRequest
from mcp_server.http.pages import PERSONAL
from mcp_server.http.plain import Message, Reply, ask
from settings import Settings
from tools.azure_updates import SEARCH
from tools.azure_updates import toolset as updates
from tools.retirements import toolset as retirements

SEARCHES: Final = ToolName(updates.name, SEARCH)
FINDS_HERE: Final = ToolName(retirements.name, "what_retires_here")
_GIVES_FILES: Final = ToolName(updates.name, "get_azure_updates_feeds")
_APPROVALS: Final = Link("/changes", "Approvals")
_LINKS: Final = (
    Link(overview.PATH, "Overview"),
    Link(searching.PATH, "Updates"),
    Link(retiring.TIMELINE, "Retirements"),
    Link(connecting.PATH, "Connect"),
)


def frame_of(settings: Settings) -> Frame:
    """The common layout of all pages of this server."""
    approvals = () if page_lacking(settings) else (_APPROVALS,)
    links = (*_LINKS[:-1], *approvals, _LINKS[-1]) if settings.server.explorer else approvals
    return Frame(settings.server.notice, links)


def guests_of(settings: Settings, visiting: Visiting, catalogs: Callable[[], Catalogs], frame: Frame) -> Guests:
    """The sign-in to the explorer. If AUTH_MODE is none, the explorer needs no sign-in and shows only public data."""
    if settings.sign_in.mode == "none":
        return Guests(replace(visiting, way_in=lambda _: Anyone()), catalogs, frame)
    return Guests(visiting, catalogs, frame, page_lacking(settings))


def explorer_of(
    guests: Guests,
    library: Libraries,
    approvals: Approvals,
    endpoint: Callable[[], Endpoint],
    addresses: Callable[[], PersonalAddresses],
) -> ExplorerPages:
    async def call(request: HttpRequest, tool: str, arguments: Mapping[str, Any]) -> Reply:
        message = Message("tools/call", {"name": tool, "arguments": arguments}, choice={})
        return await ask(endpoint(), request, lambda: message)

    here, search = HerePage(FINDS_HERE, call, guests.visiting), SearchPages(library, partial(_proof, addresses))
    return ExplorerPages(guests, library, approvals, SEARCHES, here, search)


def _proof(addresses: Callable[[], PersonalAddresses], guest: Guest) -> Mapping[str, str] | None:
    """The query parameter for the URL of a file, with a token that identifies the user.

    The parameter is empty for anonymous users, and None if the user is not allowed to download files or if personal
    links are disabled.
    """
    if not guest.may(_GIVES_FILES):
        return None
    if guest.person.kind is CallerKind.ANONYMOUS:
        return {}
    given = addresses()
    return {PERSONAL: given.token_for(guest.person)} if given.are_given else None
