from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.attacks.changes import ANOTHER, Siege, besieged
from tests.attacks.place import Place, attacked
from tests.changes.bench import Office, opened
from tests.changes.cheap_seals import cheap_seals  # noqa: F401 - a fixture
from tests.fakes.issuer import TENANT
from tests.mcp_server.office import behind
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


@pytest.fixture
def siege(tmp_path: Path) -> Iterator[Siege]:
    """Another person has to agree."""
    with besieged(tmp_path, ANOTHER) as begun:
        yield begun


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Siege]:
    """Whoever asks has to agree, and a model may say so."""
    with besieged(tmp_path, by_argument=True) as begun:
        yield begun


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[Office]:
    behind.clear()
    async with opened(tmp_path, AUTH_ALLOWED_TENANTS=TENANT) as office:
        yield office
    behind.clear()
