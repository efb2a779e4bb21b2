from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from clients.azure.client import Azure
from clients.azure.cloud import cloud_named
from clients.azure.connection import AzureConnection
from tests.fakes.azure.people import OWNER
from tests.fakes.azure.service import FakeAzure
from tests.fakes.transport import HastyTransport


@pytest.fixture
def bakery() -> FakeAzure:
    return FakeAzure()


@pytest.fixture
async def azure(bakery: FakeAzure) -> AsyncIterator[Azure]:
    """The bakery's Azure as its owner reaches it."""

    async def authorize(_scope: str) -> str:
        return f"Bearer {OWNER.token}"

    async with bakery.serving() as url, AzureConnection(transport=HastyTransport()) as connection:
        yield Azure(connection, cloud_named(url), authorize)
