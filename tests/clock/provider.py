"""A clock somewhere on the network."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final

from clients.addresses import checked_base_url
from mcp_server.declarations.injection import Resolve
from mcp_server.visit import Context
from refusal import Refusal
from settings import Settings, setting
from tools.provider import Provider, Supplies

if TYPE_CHECKING:
    from clients.rest import RestClient


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockSettings:
    """The clock: where it is."""

    url: str = setting("CLOCK_URL", checked_base_url, "", "The URL of the clock. Without it, there is no clock.")


@dataclass(frozen=True, slots=True)
class NetworkClock:
    client: RestClient

    async def now(self) -> str:
        from azure.core.exceptions import AzureError

        try:
            return str((await self.client.get("/now"))["time"])
        except AzureError:
            raise Refusal(f"The clock does not answer. {HINTS['unavailable']}") from None


HINTS: Final = {"unavailable": "Call tell_time again in a minute."}


def lacks(settings: ClockSettings, _: Settings) -> str:
    return "" if settings.url else "There is no clock. Ask an operator to set CLOCK_URL."


@asynccontextmanager
async def open_clock(settings: ClockSettings, _supplies: Supplies) -> AsyncIterator[NetworkClock]:
    from clients.rest import RestClient

    async with RestClient(settings.url) as client:
        yield NetworkClock(client)


provider: Final = Provider(name="clock", settings=ClockSettings, open=open_clock, lacks=lacks, hints=HINTS)


async def clock_of(context: Context) -> NetworkClock:
    return await provider.of(context)


Clock = Annotated[NetworkClock, Resolve(clock_of)]
