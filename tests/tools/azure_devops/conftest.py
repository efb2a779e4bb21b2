from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.fakes.azure_devops.service import Elsewhere, FakeAzureDevOps
from tests.mcp_server.caller import Caller
from tests.tools.azure_devops.calling import calling
from tests.tools.azure_devops.golden import DEFAULT_PROJECT, Scripted


@pytest.fixture
def azure_devops() -> FakeAzureDevOps:
    return FakeAzureDevOps()


@pytest.fixture
async def transport(azure_devops: FakeAzureDevOps) -> AsyncIterator[Elsewhere]:
    async with azure_devops.serving() as url:
        yield Elsewhere(url)


@pytest.fixture
async def caller(transport: Elsewhere) -> AsyncIterator[Caller]:
    """Calls the tools on the stateful fake."""
    async with calling(transport, project=DEFAULT_PROJECT) as someone:
        yield someone


@pytest.fixture
def scripted() -> Scripted:
    return Scripted()


@pytest.fixture
async def player(scripted: Scripted) -> AsyncIterator[Caller]:
    """Calls the tools on the other side that a golden case describes."""
    async with scripted.serving() as url, calling(Elsewhere(url), project=DEFAULT_PROJECT) as someone:
        yield someone
