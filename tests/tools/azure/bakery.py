"""Calling the tools over the invented Azure of the bakery."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from clients.azure.cloud import cloud_named
from identity.grants import Grants
from tests.fakes.azure.people import OWNER, Principal
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.world import PRODUCTION
from tests.fakes.transport import HastyTransport
from tests.mcp_server.caller import Caller
from tests.tools.azure.calling import calling
from tests.tools.everything import EVERYTHING
from tools.azure.settings import AzureSettings


@asynccontextmanager
async def at_the_bakery(
    azure: FakeAzure, who: Principal = OWNER, grants: Grants = EVERYTHING, subscription: str = PRODUCTION
) -> AsyncIterator[Caller]:
    async with (
        azure.serving() as url,
        calling(
            HastyTransport(),
            AzureSettings(subscription=subscription),
            cloud=cloud_named(url),
            who=who.token,
            grants=grants,
        ) as caller,
    ):
        yield caller
