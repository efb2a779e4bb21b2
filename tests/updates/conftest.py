from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.fakes.storages import Place, place
from tests.fakes.updates.api import UpdatesApi
from tests.updates.syncing import World, records


@pytest.fixture(params=["folder", "azurite"])
async def somewhere(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Place]:
    async with place(request.param, tmp_path / "store") as opened:
        yield opened


@pytest.fixture
async def world(somewhere: Place) -> AsyncIterator[World]:
    """Sixty updates in a feed whose pages hold twenty, and a store that knows nothing yet."""
    api = UpdatesApi(records(60))
    api.largest_page = 20
    async with api.serving() as url:
        yield World(somewhere.storage, api, url)
