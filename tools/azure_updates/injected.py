"""Dependencies that are injected into the Azure updates tools."""

from __future__ import annotations

from typing import Annotated

from identity.personal_addresses import PersonalAddresses
from mcp_server.declarations.injection import Resolve
from mcp_server.visit import Context
from tools.azure_updates.access import UPDATES
from updates.library import UpdatesLibrary


async def updates_of(context: Context) -> UpdatesLibrary:
    # This function is asynchronous, because a synchronous function would run in a thread, and starting a thread takes
    # longer than this function.
    return (await UPDATES.of(context)).library


async def _addresses_of(context: Context) -> PersonalAddresses:
    return (await UPDATES.of(context)).addresses


Updates = Annotated[UpdatesLibrary, Resolve(updates_of)]
Addresses = Annotated[PersonalAddresses, Resolve(_addresses_of)]
