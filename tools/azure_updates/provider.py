"""Azure updates: where they are read, how often, and what serves them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Annotated, Final

from clients.addresses import checked_base_url
from clients.storage import Storage
from identity.limits import RateLimit
from identity.personal_addresses import PersonalAddresses
from mcp_server.declarations.injection import Resolve
from mcp_server.visit import Context
from settings import NO, setting
from settings.forms import percent, truth
from tools.provider import Provider, Supplies
from updates.library import UpdatesLibrary
from updates.report import Tell, watch_nothing
from updates.showing.guide import freshness_of

if TYPE_CHECKING:
    from tasks.work import StepOutcome, WorkStep
    from updates.keeping.store import UpdatesStore
    from updates.keeping.sync import UpdatesSync
    from updates.searching.index import UpdatesIndex
    from updates.showing.exports import Exports

# Reading everything, which takes longer than a request may.
FULL_SYNC: Final = "full-sync"
# The table and the container of the updates.
PURPOSE: Final = "updates"
SAMPLE_SIZE: Final = 400
# A program that follows the updates asks a few times a day.
_EXPORTS_A_MINUTE: Final = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdatesSettings:
    """Azure updates: where and when they are read."""

    url: str = setting(
        "UPDATES_API_URL",
        checked_base_url,
        "https://www.microsoft.com/releasecommunications/api/v2/azure",
        "Where Azure updates are read. Plain http is accepted for this machine only.",
    )
    delta_schedule: str = setting(
        "UPDATES_DELTA_SCHEDULE", str, "0 7 * * * *", "When new updates are read, as an NCRONTAB expression: hourly."
    )
    reconcile_schedule: str = setting(
        "UPDATES_RECONCILE_SCHEDULE",
        str,
        "0 37 3 * * *",
        "When all updates are compared, which finds silent edits and withdrawals: daily.",
    )
    largest_withdrawal: float = setting(
        "UPDATES_LARGEST_WITHDRAWAL",
        percent,
        5.0,
        "How many percent of the updates may vanish at once. A reading that lacks more is refused as suspicious.",
    )
    sample: bool = setting(
        "UPDATES_SAMPLE",
        truth,
        NO,
        "Whether invented updates are served until the real ones have been read once. `scripts/serve` sets it.",
    )


@dataclass(frozen=True)
class UpdatesAccess:
    """The updates, and the addresses under which programs of a person read them."""

    library: UpdatesLibrary
    addresses: PersonalAddresses
    # What stands above all that is shown.
    notice: str = ""
    export_limit: RateLimit = field(default_factory=lambda: RateLimit("reader", _EXPORTS_A_MINUTE))

    @cached_property
    def exports(self) -> Exports:
        """The updates as files, which hardly any process is asked for."""
        from updates.showing.exports import Exports

        return Exports(self.notice)


@asynccontextmanager
async def access(settings: UpdatesSettings, supplies: Supplies) -> AsyncIterator[UpdatesAccess]:
    """Serve the updates. What reads and writes them is imported here."""
    from kept_index.reader import IndexReader
    from updates.searching.index import UpdatesIndex
    from updates.searching.index_format import FORMAT

    store = store_in(supplies.storage(PURPOSE))
    reader = IndexReader(store, UpdatesIndex.open, FORMAT)
    library = UpdatesLibrary(store, sync_of(settings, store), reader, _sample if settings.sample else None)
    library.begin()
    try:
        yield UpdatesAccess(library, supplies.addresses, supplies.notice)
    finally:
        await library.end()


def store_in(storage: Storage) -> UpdatesStore:
    from updates.keeping.store import UpdatesStore

    return UpdatesStore(storage)


def sync_of(settings: UpdatesSettings, store: UpdatesStore, watch: Tell = watch_nothing) -> UpdatesSync:
    """What brings the store up to the feed; `watch` is told how far it is."""
    from updates.keeping.sync import UpdatesSync
    from updates.reading.feed import UpdatesFeed
    from updates.searching.index_builder import build_index
    from updates.searching.index_format import FORMAT

    feed, limit = UpdatesFeed(settings.url), settings.largest_withdrawal
    return UpdatesSync(feed, store, build_index, FORMAT, largest_withdrawal=limit, watch=watch)


def _sample() -> UpdatesIndex:
    return _sample_of(datetime.now(UTC).date())


@lru_cache(maxsize=1)
def _sample_of(today: date) -> UpdatesIndex:
    """The sample of a day, which never changes: all who serve it in one process share it."""
    from updates.changes import StoredUpdate
    from updates.reading.sample import records
    from updates.record import Update
    from updates.searching.index import UpdatesIndex
    from updates.searching.index_builder import build_index
    from updates.searching.statistics import SAMPLE

    updates = [StoredUpdate(Update.from_api(record)) for record in records(SAMPLE_SIZE, today=today)]
    return UpdatesIndex.open(build_index(updates, {SAMPLE: "true"}))


async def _health(access: UpdatesAccess) -> dict[str, object]:
    found = await access.library.health()
    return {"totalUpdates": found.total, **freshness_of(found)}


async def _full_sync(opened: UpdatesAccess, step: WorkStep) -> StepOutcome:
    from tools.azure_updates.syncing import full_sync

    return await full_sync(opened, step)


provider: Final = Provider(
    name="updates",
    settings=UpdatesSettings,
    open=access,
    health=_health,
    keeps=(PURPOSE,),
    works={FULL_SYNC: _full_sync},
    begins_at_once=True,
)


async def updates_of(context: Context) -> UpdatesLibrary:
    # A function that is not asynchronous would be run in a thread, which costs more than all that it does.
    return (await provider.of(context)).library


async def _addresses_of(context: Context) -> PersonalAddresses:
    return (await provider.of(context)).addresses


Updates = Annotated[UpdatesLibrary, Resolve(updates_of)]
Addresses = Annotated[PersonalAddresses, Resolve(_addresses_of)]
