"""A clock that the server reads over HTTP."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from settings import Settings
from tests.clock.access import CLOCK, NetworkClock
from tests.clock.settings import HINTS, ClockSettings
from tools.provider import Provider, Supplies


def lacks(settings: ClockSettings, _: Settings) -> str:
    return "" if settings.url else "No clock is configured. Ask an operator to set CLOCK_URL."


@asynccontextmanager
async def open_clock(settings: ClockSettings, _supplies: Supplies) -> AsyncIterator[NetworkClock]:
    from clients.rest import RestClient

    async with RestClient(settings.url) as client:
        yield NetworkClock(client)


provider: Final = Provider(key=CLOCK, settings=ClockSettings, open=open_clock, lacks=lacks, hints=HINTS)
