"""A store, a feed and what brings one up to the other, as the tests of syncing need them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from clients.storage import Storage
from tests.fakes.mortality import Life
from tests.fakes.transport import HastyTransport
from tests.fakes.updates.api import Record, UpdatesApi
from updates.changes import ChangeKind, StoredUpdate
from updates.keeping.store import UpdatesStore
from updates.keeping.sync import UpdatesSync
from updates.reading.feed import UpdatesFeed
from updates.record import Update
from updates.report import SyncOutcome, SyncReport

FORMAT = "test-1"
NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
NOBODY = Life()


def record(number: int | str, **changes: Any) -> Record:
    """An invented record; its number says when it was created, one a minute."""
    minute = number if isinstance(number, int) else 0
    created = f"{NOON - timedelta(days=30) + timedelta(minutes=minute):%Y-%m-%dT%H:%M:%S}.1234567Z"
    return {
        "id": str(number) if isinstance(number, str) else f"{100_000 + number}",
        "productCategories": ["Compute"],
        "tags": ["Features"],
        "products": ["Virtual Machines", "Batch"][: 1 + minute % 2],
        "generalAvailabilityDate": None,
        "previewAvailabilityDate": None,
        "privatePreviewAvailabilityDate": None,
        "title": f"Public Preview: Machine {number}",
        "description": f"<p>Machine <b>{number}</b> can be tried.</p>",
        "status": "In preview",
        "created": created,
        "modified": created,
        "locale": None,
        "availabilities": [{"ring": "Preview", "year": 2026, "month": "June"}],
        **changes,
    }


def records(how_many: int) -> list[Record]:
    return [record(number) for number in range(how_many)]


def moment(when: datetime) -> str:
    return f"{when:%Y-%m-%dT%H:%M:%S}.1234567Z"


class Times:
    """What time it is, for runs that must not take any."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now

    def timestamp(self) -> float:
        return self.now.timestamp()


def build_index(updates: Sequence[StoredUpdate], about: Mapping[str, str]) -> bytes:
    """Stands for the real index: whoever opens it sees which content it was built from."""
    content = {stored.update.id: [stored.update.content_hash, stored.withdrawn is not None] for stored in updates}
    return json.dumps({"content": content, "revision": about["revision"]}).encode()


def open_index(index: bytes) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(index)
    return content


@dataclass
class World:
    """One storage and one feed, and processes that sync them."""

    storage: Storage
    api: UpdatesApi
    url: str
    times: Times = field(default_factory=Times)

    @property
    def store(self) -> UpdatesStore:
        return UpdatesStore(self.storage)

    def sync(self, life: Life = NOBODY, **options: Any) -> UpdatesSync:
        """A process of its own; `life` says when it ends."""

        def mortal_build(updates: Sequence[StoredUpdate], about: Mapping[str, str]) -> bytes:
            life.step("build index")
            return build_index(updates, about)

        transport: Callable[[], HastyTransport] = life.transport
        feed = UpdatesFeed(self.url, transport=transport)
        store = UpdatesStore(life.of(self.storage))
        return UpdatesSync(feed, store, mortal_build, FORMAT, **{"clock": self.times, **options})

    async def check_readers_see_a_whole_index(self) -> dict[str, Any]:
        """Check what is published, and answer its content."""
        published = await self.store.published()
        if published.index is None:
            return {}
        index = await self.store.index(published.index)
        assert index, "readers are told of an index that is not there"
        opened = open_index(index)
        assert opened["revision"] == str(published.revision)
        content: dict[str, Any] = opened["content"]
        return content

    async def check_store_equals_feed(self) -> None:
        """Check that the updates, the index and the log say what the feed holds."""
        known = await self.store.updates()
        held = {update.id: update for update in map(Update.from_api, self.api.records.values())}
        assert {key: stored.update for key, stored in known.items() if not stored.withdrawn} == held
        index = await self.check_readers_see_a_whole_index()
        assert index == {key: [stored.update.content_hash, bool(stored.withdrawn)] for key, stored in known.items()}
        await self.check_log_explains_the_updates()

    async def check_log_explains_the_updates(self) -> None:
        """Check that going back through the log from what is stored never meets a contradiction."""
        known = await self.store.updates()
        now = {key: (asdict(stored.update), bool(stored.withdrawn)) for key, stored in known.items()}
        for change in await self.store.changes(limit=100_000):
            content, withdrawn = now.pop(change.id)
            assert withdrawn == (change.kind is ChangeKind.WITHDRAWN)
            for edit in change.edits:
                assert content[edit.field] == _plain(edit.after)
                content[edit.field] = _plain(edit.before)
            if change.kind is not ChangeKind.ADDED:
                now[change.id] = (content, change.kind is ChangeKind.RESTORED)


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(item if isinstance(item, str) else asdict(item) for item in value)
    return value


async def synced(world: World) -> SyncReport:
    report = await world.sync().reconcile()
    assert report.outcome in {SyncOutcome.CHANGED, SyncOutcome.UNCHANGED}, report
    return report


async def log(world: World) -> list[tuple[str, ChangeKind]]:
    return [(change.id, change.kind) for change in await world.store.changes(limit=1000)]
