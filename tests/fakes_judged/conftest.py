from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.fakes.azure.service import FakeAzure
from tests.fakes.https import certify
from tests.fakes_judged.judged import Judged


@pytest.fixture
async def judged(tmp_path: Path) -> AsyncIterator[Judged]:
    certified = certify(tmp_path / "certificate.pem", "localhost", "*.vault.localhost")
    azure = FakeAzure()
    azure.work.retry_after = "0"
    async with azure.serving(certified.context) as url:
        yield Judged(azure, url, certified)
