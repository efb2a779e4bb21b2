"""Asking an invented Azure through the tools."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

from changes.approvals import Approvals
from clients.azure.cloud import cloud_named
from clients.azure.prices import FetchPrices
from identity.door import Door
from mcp_server.catalog.catalog import Catalog
from tests.fakes.azure.people import OWNER, Principal
from tests.fakes.azure.service import FakeAzure
from tests.fakes.transport import HastyTransport
from tests.mcp_server.caller import Caller
from tests.tools.azure.calling import CATALOG, UNASKED, calling
from tests.tools.azure.later import Later
from tools.azure.access import FetchLink
from tools.azure.settings import AzureSettings

Json = dict[str, Any]

NAME: Final = "Bakery Production"
MOST_TOKENS: Final = 3000


@asynccontextmanager
async def asking(
    azure: FakeAzure,
    who: Principal = OWNER,
    settings: AzureSettings | None = None,
    approvals: Approvals = UNASKED,
    door: Door | None = None,
    later: Later | None = None,
    fetch_link: FetchLink | None = None,
    fetch_prices: FetchPrices | None = None,
    catalog: Catalog = CATALOG,
) -> AsyncIterator[Caller]:
    own = settings or AzureSettings(subscription=NAME)
    async with (
        azure.serving() as url,
        calling(
            HastyTransport(),
            own,
            cloud=cloud_named(url),
            who=who.token,
            approvals=approvals,
            door=door,
            later=later,
            fetch_link=fetch_link,
            fetch_prices=fetch_prices,
            catalog=catalog,
        ) as caller,
    ):
        yield caller


async def answered(caller: Caller, tool: str, **arguments: Any) -> Json:
    result = await caller.call(tool, **arguments)
    text = result["content"][0]["text"]
    assert not result["isError"], text
    assert len(text.encode()) / 4 <= MOST_TOKENS
    found: Json = result["structuredContent"]
    return found


async def refused(caller: Caller, tool: str, **arguments: Any) -> str:
    result = await caller.call(tool, **arguments)
    assert result["isError"]
    text: str = result["content"][0]["text"]
    return text


def ids(found: Json, name: str = "id") -> list[str]:
    return [found.get("idsBeginWith", "") + one[name] for one in found["items"]]
