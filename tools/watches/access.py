"""Gives the watch tools access to watches."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Final

from clients.kept import Kept
from identity.limits import RateLimit
from mcp_server.declarations.injection import Resolve
from mcp_server.visit import Context
from tools.key import Key

if TYPE_CHECKING:
    from watching.watches import Watches

WATCHES: Final[Key[WatchesAccess]] = Key("watches")
# The URL parameter with the token of a feed.
WATCH: Final = "watch"
_TESTS_A_MINUTE: Final = 6


@dataclass(frozen=True)
class WatchesAccess:
    watches: Watches
    # The rate limit for notices that a caller sends manually.
    test_limit: RateLimit = field(default_factory=lambda: RateLimit("sender of tests", _TESTS_A_MINUTE))
    health: Kept = field(default_factory=Kept)


async def _watches_of(context: Context) -> WatchesAccess:
    return await WATCHES.of(context)


WatchesHere = Annotated[WatchesAccess, Resolve(_watches_of)]
