"""What stands behind watches, put together: imported when they are first needed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

from tools.azure_updates.access import UPDATES
from tools.provider import Supplies
from watching.destinations import WatchDestinations
from watching.dispatch import NoticeDispatch
from watching.rounds import WatchRounds
from watching.saved_search import SavedSearch
from watching.store import PURPOSE, WatchStore
from watching.watches import Watches


@asynccontextmanager
async def opened(supplies: Supplies) -> AsyncIterator[Watches]:
    notices = supplies.notices()
    store = WatchStore(partial(supplies.storage, PURPOSE))
    search = SavedSearch((await supplies.opened(UPDATES)).library)
    destinations = WatchDestinations(notices.places, notices.sender.hosts, supplies.sealing_keys)
    rounds = WatchRounds(store, search)
    dispatch = NoticeDispatch(store, destinations, notices.sender)
    try:
        yield Watches(store, search, destinations, notices.sender, rounds, dispatch)
    finally:
        await store.close()
