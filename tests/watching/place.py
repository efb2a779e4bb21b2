"""A feed of updates, watches of it, what they notify over TLS, and a clock that the test turns."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from aiohttp import ClientSession

from clients.folder_storage import FolderStorage
from clients.storage import Storage
from kept_index.reader import IndexReader
from notifying.forms import CHANNELS, WEBHOOK
from notifying.sending import NotificationSender
from notifying.targets import NotificationTarget, places_in
from tasks.keeping import TaskStore
from tasks.sending import Sending
from tasks.tasks import Tasks
from tasks.work import Work
from tasks.worker import Worker
from tests.fakes.mortality import Life
from tests.fakes.updates.api import Record, UpdatesApi
from tests.fakes.watches.receiver import HOSTS, SLACK, Answering, Heard, fine, receiving
from tests.notifying.place import KEY, PLACES, Queue
from tests.updates.syncing import record
from tools.azure_updates.opening import sync_of
from tools.azure_updates.settings import UpdatesSettings
from updates.keeping.store import UpdatesStore
from updates.library import UpdatesLibrary
from updates.report import SyncKind
from updates.searching.index import UpdatesIndex
from updates.searching.index_format import FORMAT
from updates.searching.search import SearchFilters
from watching.destinations import WatchDestinations
from watching.dispatch import NoticeDispatch
from watching.rounds import SEND, WatchRounds
from watching.saved_search import SavedSearch
from watching.store import WatchStore
from watching.watch import Watch, WatchDestination, WatchPace
from watching.watches import NamedAddress, Watches

ATOM: Final = {"a": "http://www.w3.org/2005/Atom"}
# What somebody elsewhere could write into an update.
HOSTILE: Final = (
    "<script>alert(1)</script> <at>All</at> <!channel> <@U1> @<11111111-1111-1111-1111-111111111111> #7 **bold** "
    "[x](https://evil.example) {{7*7}} ${x} ' \" ]]> &amp; \u202e\u200b\x07\n# H\nBcc: evil@example.com"
)
SECRET: Final = "s3cret-of-a-webhook-0123456789"  # noqa: S105 - of no real one
HOOK: Final = f"https://{SLACK}/hooks/s3cret-path"
SEALING: Final = ("sealing-key-of-the-tests-0123456789abcdef",)
RETIREMENT: Final = {"ring": "Retirement", "year": 2027, "month": "March"}
LAMPS: Final = {"products": ["Lamps"], "availabilities": [RETIREMENT], "status": None, "tags": ["Retirements"]}
NOBODY: Final = Life()
# A Saturday at noon.
BEGINNING: Final = 1_800_100_800.0


@dataclass
class Process:
    """One process that serves watches, over the storage that all share; `life` says when it is killed."""

    place: Bureau
    life: Life = NOBODY

    def __post_init__(self) -> None:
        place = self.place

        def clock() -> float:
            return place.now

        def storage() -> Storage:
            return self.life.of(FolderStorage(place.folder / "watches"))

        def tasks_storage() -> Storage:
            return self.life.of(FolderStorage(place.folder / "tasks"))

        store = WatchStore(storage)
        destinations = WatchDestinations(place.targets, HOSTS, SEALING, clock)
        sender = NotificationSender(HOSTS, KEY, place.open_session, clock, place.seconds)
        search = SavedSearch(place.library)
        rounds, dispatch = (
            WatchRounds(store, lambda _: search, clock),
            NoticeDispatch(store, destinations, sender, clock),
        )
        self.watches = Watches(store, lambda _: search, destinations, sender, rounds, dispatch, clock)
        works = {SEND: Work(SEND, dispatch.step)}
        self.tasks = Tasks(TaskStore(tasks_storage), Sending(place.queue, clock), works)
        self.worker = Worker(self.tasks, works)

    async def round(self) -> int:
        return await self.watches.rounds.go(self.tasks)


@dataclass
class Bureau:
    folder: Path
    api: UpdatesApi
    url: str
    heard: list[Heard]
    open_session: Callable[[], ClientSession]
    now: float = BEGINNING
    seconds: float = 5.0
    targets: dict[str, NotificationTarget] = field(default_factory=lambda: dict(places_in(PLACES, HOSTS)))

    def __post_init__(self) -> None:
        store = UpdatesStore(FolderStorage(self.folder / "updates"))
        reader = IndexReader(store, UpdatesIndex.open, FORMAT)
        self.library = UpdatesLibrary(store, sync_of(UpdatesSettings(url=self.url), store), reader, None)
        self.queue = Queue(now=lambda: self.now)
        self.process = Process(self)

    @property
    def watches(self) -> Watches:
        return self.process.watches

    async def created(self, name: str = "lamps", to: str = "webhook", **more: Any) -> Watch:
        is_channel = to in CHANNELS
        address = NamedAddress(HOOK if is_channel else "", SECRET if to == WEBHOOK else "")
        more.setdefault("filters", SearchFilters(products=("Lamps",)))
        more.setdefault("pace", WatchPace.IMMEDIATELY)
        watch = Watch(tenant="home", name=name, owner="Ada", destination=WatchDestination(to=to), **more)
        await self.watches.drafted(watch)
        made, self.token = await self.watches.create(watch, address)
        return made

    async def watch(self, name: str = "lamps") -> Watch:
        return await self.watches.named("home", name)

    async def syncs(self, *records: Record, gone: Iterable[str] = ()) -> None:
        """The feed changes, and a sync finds it."""
        for one in records:
            self.api.records[one["id"]] = dict(one)
        for name in gone:
            del self.api.records[name]
        await self.library.sync(SyncKind.RECONCILE)

    async def after(self, seconds: float) -> None:
        """Let time pass, and all be done that is due by then, each message of the queue twice."""
        end = self.now + seconds
        while due := sorted(one for one in self.queue.sent if one[0] <= end):
            moment, text = due[0]
            self.queue.sent.remove(due[0])
            self.now = max(self.now, moment)
            await self.process.worker.do(text)
            await self.process.worker.do(text)
        self.now = end

    async def round(self) -> None:
        """A timer looks at all watches, and what it began is sent."""
        await self.process.round()
        await self.after(1)

    @property
    def bodies(self) -> list[Any]:
        return [json.loads(one.body) for one in self.heard]

    @property
    def changes(self) -> list[Any]:
        """The changes of which webhooks heard."""
        return [change for body in self.bodies for change in body["data"].get("changes", [])]


@asynccontextmanager
async def opened(
    folder: Path, answer: Answering = fine, addresses: list[str] | None = None, records: Iterable[Record] = ()
) -> AsyncIterator[Bureau]:
    api = UpdatesApi([lamp(1), lamp(2), record(3), *records])
    async with receiving(folder, answer, addresses) as (heard, session), api.serving() as url:
        place = Bureau(folder, api, url, heard, session)
        await place.library.sync(SyncKind.RECONCILE)
        yield place
        await place.library.end()


def lamp(number: int, **changes: Any) -> Record:
    return record(number, **{"title": f"Retirement: Lamp {number} retires", **LAMPS, **changes})


def slipped(number: int, year: int, month: str, **changes: Any) -> Record:
    return lamp(number, availabilities=[{**RETIREMENT, "year": year, "month": month}], **changes)


def with_seconds(place: Bureau, seconds: float) -> Bureau:
    """The same place, in which nobody waits longer for a receiver."""
    return replace(place, seconds=seconds)
