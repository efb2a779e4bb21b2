from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.fakes.azure.service import FakeAzure
from tests.mcp_server.caller import Caller
from tests.tools.azure.inventing import asking
from tests.tools.azure.team import Team, team


@pytest.fixture
def azure() -> FakeAzure:
    return FakeAzure()


@pytest.fixture
async def a_team(azure: FakeAzure) -> AsyncIterator[Team]:
    async with team(azure) as them:
        yield them


@pytest.fixture
async def caller(azure: FakeAzure) -> AsyncIterator[Caller]:
    async with asking(azure) as someone:
        yield someone
