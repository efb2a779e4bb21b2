"""An app with every provider, and one over a few updates."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.mcp_server.caller import Caller
from tests.promises.place import Place
from tests.promises.place import place as place_of_people
from tests.tools.updates_office import UPDATES, Office, office


@pytest.fixture
async def everything(tmp_path: Path) -> AsyncIterator[Place]:
    async with place_of_people(tmp_path) as opened:
        yield opened


@pytest.fixture
def caller(everything: Place) -> Caller:
    """Somebody who may do everything, where every provider is configured."""
    return Caller(everything.app.endpoint, headers=everything.person("Owner").headers)


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Office]:
    async with office(tmp_path, UPDATES) as opened:
        yield opened
