from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.identity.bridge.bench import Bench, bridging


@pytest.fixture
async def bench() -> AsyncIterator[Bench]:
    async with bridging() as built:
        yield built
