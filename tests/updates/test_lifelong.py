"""A feed that lives on while syncs fail and die: at the end, the store equals the feed."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Coroutine
from contextlib import AsyncExitStack, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from clients.folder_storage import FolderStorage
from tests.fakes.mortality import KilledError, Life
from tests.fakes.storages import Clock
from tests.fakes.updates.api import Record, Trouble, UpdatesApi
from tests.sweeps import examples
from tests.updates.syncing import World, moment, record, records

T = TypeVar("T")
PASSING = [trouble for trouble in Trouble if trouble is not Trouble.STALLED]

some = st.integers(min_value=0, max_value=10_000)


class Lifelong(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.stack = AsyncExitStack()
        self.folder = self.stack.enter_context(tempfile.TemporaryDirectory())
        self.clock = Clock()
        self.withdrawn: list[Record] = []
        self.malformed: dict[str, Record] = {}
        self.published = 0

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        return self.runner.run(coroutine)

    @initialize(synced=st.booleans())
    def begin(self, synced: bool) -> None:
        self.api = UpdatesApi(records(40))
        self.api.largest_page = 15
        url = self.run(self.stack.enter_async_context(self.api.serving()))
        self.world = World(FolderStorage(Path(self.folder), self.clock), self.api, url)
        if synced:
            self.sync(reconcile=True, last_step=None, outage=None)

    def pick(self, number: int) -> Record:
        return list(self.api.records.values())[number % len(self.api.records)]

    @rule(days_late=st.integers(0, 20))
    def publish(self, days_late: int) -> None:
        modified = moment(self.world.times.now - timedelta(days=days_late))
        self.published += 1
        update_id = f"new{self.published}"
        self.api.records[update_id] = record(update_id, modified=modified)

    @rule(number=some, text=st.text(min_size=1, max_size=8))
    def edit_silently(self, number: int, text: str) -> None:
        self.pick(number)["description"] = text

    @rule(number=some, text=st.text(min_size=1, max_size=8))
    def edit(self, number: int, text: str) -> None:
        self.pick(number).update(description=text, modified=moment(self.world.times.now))

    @rule(number=some)
    def withdraw(self, number: int) -> None:
        if len(self.api.records) > 30:
            self.withdrawn.append(self.api.records.pop(self.pick(number)["id"]))

    @rule()
    def restore(self) -> None:
        if self.withdrawn:
            back = self.withdrawn.pop()
            self.api.records[back["id"]] = back

    @rule(number=some)
    def malform(self, number: int) -> None:
        broken = self.pick(number)
        self.malformed.setdefault(broken["id"], dict(broken))
        broken["tags"] = "Features"

    @rule()
    def mend(self) -> None:
        self.api.records |= {key: whole for key, whole in self.malformed.items() if key in self.api.records}
        self.withdrawn = [self.malformed.get(gone["id"], gone) for gone in self.withdrawn]
        self.malformed = {}

    @rule(trouble=st.sampled_from(PASSING), every=st.integers(1, 6))
    def fall_into_trouble(self, trouble: Trouble, every: int) -> None:
        self.api.troubles[trouble] = every

    @rule(repeats=st.booleans(), miscounts_by=st.integers(-1, 1))
    def misbehave(self, *, repeats: bool, miscounts_by: int) -> None:
        self.api.repeats_rows, self.api.miscounts_by = repeats, miscounts_by

    @rule()
    def recover(self) -> None:
        self.api.troubles, self.api.repeats_rows, self.api.miscounts_by = {}, False, 0

    @rule(hours=st.integers(1, 400))
    def let_time_pass(self, hours: int) -> None:
        self.world.times.now += timedelta(hours=hours)

    @rule(
        reconcile=st.booleans(),
        last_step=st.none() | st.integers(1, 60),
        outage=st.none() | st.integers(1, 50),
    )
    def sync(self, *, reconcile: bool, last_step: int | None, outage: int | None) -> None:
        life = Life(last_step, outages=() if outage is None else range(outage, outage + 2))
        sync = self.world.sync(life, largest_withdrawal=50)
        with suppress(KilledError):
            self.run(sync.reconcile() if reconcile else sync.delta())
        self.clock.now += 61

    @rule()
    def shrink_for_a_moment(self) -> None:
        before = self.run(self.world.store.updates())
        whole, self.api.records = self.api.records, dict(list(self.api.records.items())[:10])
        self.run(self.world.sync().reconcile())
        self.api.records = whole
        after = self.run(self.world.store.updates())
        assert {key: stored.withdrawn for key, stored in before.items() if key in after} == {
            key: after[key].withdrawn for key in before
        }

    @invariant()
    def readers_see_a_whole_index(self) -> None:
        self.run(self.world.check_readers_see_a_whole_index())

    @invariant()
    def the_log_explains_the_updates(self) -> None:
        self.run(self.world.check_log_explains_the_updates())

    def teardown(self) -> None:
        try:
            self.recover()
            self.mend()
            self.run(self.world.sync(largest_withdrawal=50).reconcile())
            self.run(self.world.check_store_equals_feed())
        finally:
            self.run(self.stack.aclose())
            self.runner.close()


TestLifelong = Lifelong.TestCase
TestLifelong.settings = settings(
    max_examples=examples(20), stateful_step_count=15, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
