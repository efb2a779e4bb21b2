from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.fakes.storages import Place, place


@pytest.fixture(params=["folder", "azurite"])
async def somewhere(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Place]:
    async with place(request.param, tmp_path / "store") as opened:
        await opened.storage.prepare()
        yield opened
