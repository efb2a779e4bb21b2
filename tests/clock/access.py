"""How tools access the clock."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final

from mcp_server.declarations.injection import Resolve
from mcp_server.visit import Context
from refusal import Refusal
from tests.clock.settings import HINTS
from tools.key import Key

if TYPE_CHECKING:
    from clients.rest import RestClient

CLOCK: Final[Key[NetworkClock]] = Key("clock")


@dataclass(frozen=True, slots=True)
class NetworkClock:
    client: RestClient

    async def now(self) -> str:
        from azure.core.exceptions import AzureError

        try:
            return str((await self.client.get("/now"))["time"])
        except AzureError:
            raise Refusal(f"The clock does not answer. {HINTS['unavailable']}") from None


async def clock_of(context: Context) -> NetworkClock:
    return await CLOCK.of(context)


Clock = Annotated[NetworkClock, Resolve(clock_of)]
