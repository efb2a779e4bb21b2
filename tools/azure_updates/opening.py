"""Opens the updates. This module imports the code that reads, stores and searches updates, so it is imported only on
first use.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, date, datetime
from functools import lru_cache
from typing import Final

from clients.storage import Storage
from kept_index.reader import IndexReader
from tools.azure_updates.access import UpdatesAccess
from tools.azure_updates.settings import PURPOSE, UpdatesSettings
from tools.provider import Supplies
from updates.keeping.kept_reports import KeptReports
from updates.keeping.store import UpdatesStore
from updates.keeping.sync import UpdatesSync
from updates.library import UpdatesLibrary
from updates.reading.feed import UpdatesFeed
from updates.report import Tell, watch_nothing
from updates.searching.index import UpdatesIndex
from updates.searching.index_builder import build_index
from updates.searching.index_format import FORMAT

SAMPLE_SIZE: Final = 400


@asynccontextmanager
async def opened(settings: UpdatesSettings, supplies: Supplies) -> AsyncIterator[UpdatesAccess]:
    storage = supplies.storage(PURPOSE)
    store = store_in(storage)
    reader = IndexReader(store, UpdatesIndex.open, FORMAT)
    library = UpdatesLibrary(store, sync_of(settings, store), reader, _sample if settings.sample else None)
    library.begin()
    try:
        yield UpdatesAccess(library, supplies.addresses, KeptReports(storage), supplies.notice)
    finally:
        await library.end()


def store_in(storage: Storage) -> UpdatesStore:
    return UpdatesStore(storage)


def sync_of(settings: UpdatesSettings, store: UpdatesStore, watch: Tell = watch_nothing) -> UpdatesSync:
    """Create the service that syncs the store with the feed. `watch` receives progress."""
    feed, limit = UpdatesFeed(settings.url), settings.largest_withdrawal
    return UpdatesSync(feed, store, build_index, FORMAT, largest_withdrawal=limit, watch=watch)


def _sample() -> UpdatesIndex:
    return _sample_of(datetime.now(UTC).date())


@lru_cache(maxsize=1)
def _sample_of(today: date) -> UpdatesIndex:
    """Return the sample updates for a day. They are cached, because they never change."""
    from updates.changes import StoredUpdate  # noqa: PLC0415 - only where invented updates are served
    from updates.reading.sample import records  # noqa: PLC0415
    from updates.record import Update  # noqa: PLC0415
    from updates.searching.statistics import SAMPLE  # noqa: PLC0415

    updates = [StoredUpdate(Update.from_api(record)) for record in records(SAMPLE_SIZE, today=today)]
    return UpdatesIndex.open(build_index(updates, {SAMPLE: "true"}))
