from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.extensions.sign_in.desk import Desk, desk_in


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    async with desk_in(tmp_path) as opened:
        yield opened
