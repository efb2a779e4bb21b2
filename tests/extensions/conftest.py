from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from app.build import App
from tests.extensions.place import READ, Stage, app_at, entry_of, running
from tests.fakes.extensions.peer import Peer
from tests.mcp_server.caller import ERAS, Era


@pytest.fixture(params=ERAS)
def era(request: pytest.FixtureRequest) -> Era:
    said: Era = request.param
    return said


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    @asynccontextmanager
    async def staged(peer: Peer, more: str = READ, **how: Any) -> AsyncIterator[App]:
        async with running(app_at(tmp_path, entry_of(peer, more), **how)) as app:
            yield app

    return staged
