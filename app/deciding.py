"""How people come to pages with a browser, as the settings have it: imported when one is asked for."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from app.signing_in import authority_of, sealing_keys
from changes.approvals import Approvals
from deciding.visiting import Visiting
from deciding.ways_in import AtTheLaptop, BehindThePlatform, ByEntra, Nowhere, WayIn
from identity.bridge.authority import AuthorityClient
from identity.seals import Seals
from mcp_server.http.reception import Reception
from settings import Settings

if TYPE_CHECKING:
    from identity.upstream import Upstream

_PURPOSE: Final = "pages of changes 1"
_ORIGINS_KEPT: Final = 8
# Nothing is renewed for a page, so nothing is asked for with which that could be done.
_BESIDE: Final = ("openid", "profile")


def visiting_of(
    settings: Settings, approvals: Approvals, reception: Reception, upstream: Callable[[], Upstream]
) -> Visiting:
    seals = Seals(sealing_keys(settings), purpose=_PURPOSE)

    def by_entra(origin: str) -> WayIn:
        authority = authority_of(settings, upstream())
        client = AuthorityClient(authority, f"{origin}/callback", _BESIDE)
        return ByEntra(reception.door, client, authority.scope, seals)

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
