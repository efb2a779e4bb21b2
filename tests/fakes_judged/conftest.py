from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.fakes.azure.service import FakeAzure
from tests.fakes.https import certify
from tests.fakes_judged.judged import Clients, Judged


@pytest.fixture(scope="session")
def clients() -> Iterator[Clients]:
    with Clients.started() as started:
        yield started


@pytest.fixture
async def judged(clients: Clients, tmp_path: Path) -> AsyncIterator[Judged]:
    certified = certify(tmp_path / "certificate.pem", "localhost", "*.vault.localhost")
    azure = FakeAzure()
    azure.work.retry_after = "0"
    async with azure.serving(certified.context) as url:
        yield Judged(azure, url, certified, clients)
