from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

import pytest

from tests.fakes.storages import Place, place
from tests.fakes.updates.api import UpdatesApi
from tests.sweeps import ALL
from tests.updates.syncing import World, records

STORAGES: Final = ("folder", "azurite")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Try each test with all storages, or by default with one: the tests of a file take turns with them.

    That the storages do the same, tests/clients/test_storage.py tells.
    """
    if "somewhere" in metafunc.fixturenames:
        turn = list(vars(metafunc.module)).index(metafunc.function.__name__) % len(STORAGES)
        metafunc.parametrize("somewhere", STORAGES if ALL else STORAGES[turn : turn + 1], indirect=True)


@pytest.fixture
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
