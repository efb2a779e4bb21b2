from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.changes.cheap_seals import cheap_seals  # noqa: F401 - a fixture
from tests.fakes.transport import Elsewhere
from tests.mcp_server.caller import Caller
from tests.tools.azure.calling import HOSTS, calling
from tests.tools.azure.golden import ADA, SUBSCRIPTION, Scripted, token
from tools.azure.settings import AzureSettings


@pytest.fixture
def scripted() -> Scripted:
    return Scripted()


@pytest.fixture
async def player(scripted: Scripted) -> AsyncIterator[Caller]:
    """Calls the tools on the other side that a golden case describes."""
    async with (
        scripted.serving() as url,
        calling(Elsewhere(url, *HOSTS), AzureSettings(subscription=SUBSCRIPTION), who=token(ADA)) as someone,
    ):
        yield someone
