from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.fakes.azure.stored.service import FakeStorage
from tests.tools.azure.storage.place import Place, azurite_place, fake_place


@pytest.fixture(params=["azurite", "fake"])
async def place(request: pytest.FixtureRequest) -> AsyncIterator[Place]:
    """An account in Azurite, and one in our fake: what holds in both, the fake may claim."""
    if request.param == "azurite":
        async with azurite_place() as found:
            yield found
    else:
        async with fake_place(FakeStorage()) as found:
            yield found


@pytest.fixture
def storage() -> FakeStorage:
    return FakeStorage()


@pytest.fixture
async def invented(storage: FakeStorage) -> AsyncIterator[Place]:
    """In the fake alone, where something can go wrong."""
    async with fake_place(storage) as found:
        yield found
