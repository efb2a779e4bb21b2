from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.fakes.azure.service import FakeAzure
from tests.tools.azure.team import ASKING, Team, team


@pytest.fixture
def azure() -> FakeAzure:
    return FakeAzure()


@pytest.fixture
async def house(azure: FakeAzure) -> AsyncIterator[Team]:
    """A team in which another person approves every change."""
    async with team(azure, ASKING) as them:
        yield them
