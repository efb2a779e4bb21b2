from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.tools.shelves.world import Library, library


@pytest.fixture
async def shelves(tmp_path: Path) -> AsyncIterator[Library]:
    async with library(tmp_path) as opened:
        yield opened
