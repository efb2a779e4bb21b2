"""Opens the storage and the senders that watches use. This module is imported on first use."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from time import time

from tools.azure_updates.access import UPDATES
from tools.provider import Supplies
from tools.watches.scopes import assessed
from watching.destinations import WatchDestinations
from watching.dispatch import NoticeDispatch
from watching.retirements_here import RetirementsHere
from watching.rounds import WatchRounds
from watching.saved_search import SavedSearch
from watching.store import PURPOSE, WatchStore
from watching.subject import WatchSubject
from watching.watch import Watch
from watching.watches import Watches


@asynccontextmanager
async def opened(supplies: Supplies, clock: Callable[[], float] = time) -> AsyncIterator[Watches]:
    notices = supplies.notices()
    store = WatchStore(partial(supplies.storage, PURPOSE))
    search = SavedSearch((await supplies.opened(UPDATES)).library)
    retirements = RetirementsHere(partial(assessed, supplies))

    def subject_of(watch: Watch) -> WatchSubject:
        return retirements if watch.scopes else search

    destinations = WatchDestinations(notices.places, notices.sender.hosts, supplies.sealing_keys, clock)
    rounds = WatchRounds(store, subject_of, clock)
    dispatch = NoticeDispatch(store, destinations, notices.sender, clock)
    try:
        yield Watches(store, subject_of, destinations, notices.sender, rounds, dispatch, clock)
    finally:
        await store.close()
