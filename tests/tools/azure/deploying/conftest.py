from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.fakes.azure.service import FakeAzure
from tests.mcp_server.records import Records


@pytest.fixture
def azure() -> FakeAzure:
    return FakeAzure()


@pytest.fixture
def records() -> Iterator[Records]:
    with Records.kept() as kept:
        yield kept
