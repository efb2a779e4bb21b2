"""What docs/operating.md says about restoring the store works, on the emulator of the storage account."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from kept_index.store import INDEXES, POINTER
from tests.fakes.storages import place
from tests.fakes.updates.api import UpdatesApi
from tests.updates.syncing import World, records


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    """Thirty updates in a feed, a store that has them, and a log that knows of one edit."""
    async with place("azurite", tmp_path) as somewhere:
        api = UpdatesApi(records(30))
        async with api.serving() as url:
            world = World(somewhere.storage, api, url)
            await world.sync().delta()
            next(iter(api.records.values()))["title"] = "Another title"
            await world.sync().reconcile()
            yield world


async def test_without_its_pointer_the_store_is_built_anew_and_keeps_its_log(world: World) -> None:
    await world.storage.remove_file(POINTER)
    await world.sync().delta()
    await world.check_store_equals_feed()
    assert len(await world.store.changes(10)) == 1


async def test_without_its_index_the_store_is_built_anew_by_the_next_sync(world: World) -> None:
    for entry in await world.storage.list_files(INDEXES):
        await world.storage.remove_file(entry.name)
    await world.sync().delta()
    await world.check_store_equals_feed()
