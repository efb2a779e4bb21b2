from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.changes.bench import Office, opened
from tests.changes.cheap_seals import cheap_seals  # noqa: F401 - a fixture
from tests.mcp_server.office import behind


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[Office]:
    behind.clear()
    async with opened(tmp_path) as office:
        yield office
    behind.clear()
