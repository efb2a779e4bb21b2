from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Iterator

import pytest

from tests.attacks.place import Place, attacked
from tests.mcp_server.records import Records


@pytest.fixture(scope="module")
async def place(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Place]:
    """One app for all attacks of a module: none of them may change what it does for the next."""
    async with attacked(tmp_path_factory.mktemp("storage")) as built:
        yield built


@pytest.fixture
def records() -> Iterator[Records]:
    logger, handler = logging.getLogger("audit"), Records()
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    yield handler
    logger.removeHandler(handler)
    logger.setLevel(before)
