"""Configures the sign-in of browsers to pages. This module is imported when the first page is requested."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from app.exploring import FINDS_HERE
from app.signing_in import authority_of, sealing_keys
from browsing.rendering import Frame
from browsing.visiting import Visiting
from browsing.ways_in import AtTheLaptop, BehindThePlatform, ByEntra, Nowhere, WayIn
from changes.approvals import Approvals
from clients.storage import Storage
from identity.bridge.authority import AuthorityClient
from identity.bridge.browser_tokens import BrowserTokens
from identity.caller import Caller
from identity.door import Door
from identity.seals import Seals
from mcp_server.catalog.catalog import Catalog, Selection
from mcp_server.http.reception import Reception
from refusal import Refusal
from settings import Settings
from tools.extensions import toolset as looking_after

if TYPE_CHECKING:
    from deciding.sign_ins import SignInPages
    from extensions.entry import Entry
    from extensions.sign_in.sign_ins import SignIns
    from identity.upstream import Upstream

_PURPOSE: Final = "pages of changes 1"
_ORIGINS_KEPT: Final = 8
# Pages do not renew tokens, so they do not request the scope `offline_access`.
_BESIDE: Final = ("openid", "profile")


def visiting_of(
    settings: Settings,
    approvals: Approvals,
    reception: Reception,
    upstream: Callable[[], Upstream],
    tokens: Callable[[], BrowserTokens],
) -> Visiting:
    seals = Seals(sealing_keys(settings), purpose=_PURPOSE)

    def by_entra(origin: str) -> WayIn:
        authority = authority_of(settings, upstream())
        client = AuthorityClient(authority, f"{origin}/callback", _BESIDE)
        return ByEntra(reception.door, client, authority.scope, seals, tokens())

    def way_in(origin: str) -> WayIn:
        if approvals.page is None:
            return Nowhere(approvals.lacking)
        match settings.sign_in.mode:
            case "none":
                return AtTheLaptop()
            case "platform":
                return BehindThePlatform(reception.door)
            case _:
                return by_entra(origin)

    return Visiting(reception, seals, lru_cache(_ORIGINS_KEPT)(way_in))


def browser_tokens_of(
    settings: Settings, catalog: Catalog, door: Door, storage: Callable[[], Storage]
) -> BrowserTokens:
    """The storage of browser users' tokens. A token is stored only if a page can call Azure on the user's behalf."""

    def is_for(person: Caller) -> bool:
        view = catalog.view(Selection(), door.grants_of(person))
        return settings.server.explorer and view.opens(FINDS_HERE.toolset, FINDS_HERE.name)

    return BrowserTokens(sealing_keys(settings), storage, is_for)


def sign_in_pages_of(
    visiting: Visiting, sign_ins: SignIns | None, entries: Sequence[Entry], frame: Frame
) -> SignInPages:
    from deciding.sign_ins import SignInPages

    if sign_ins is None:
        raise Refusal("No extension of this server requires users to sign in.")
    known = {entry.name: entry for entry in entries}
    grants_of = visiting.reception.door.grants_of

    def is_for(person: Caller, name: str) -> bool:
        grants = grants_of(person)
        return any(grants.opens(toolset) for toolset in (name, looking_after.name))

    return SignInPages(visiting, sign_ins, known.get, is_for, frame)
