"""Dependencies that are injected into the Azure updates tools."""

from __future__ import annotations

from typing import Annotated

from identity.personal_addresses import PersonalAddresses
from mcp_server.declarations.injection import Resolve
from mcp_server.visit import Context
from tools.azure_updates.access import UPDATES
from updates.library import UpdatesLibrary


async def updates_of(context: Context) -> UpdatesLibrary:
    # This function is asynchronous, because a synchronous one would run in a thread, which takes longer to start than
    # the function takes.
    return (await UPDATES.of(context)).library


async def _addresses_of(context: Context) -> PersonalAddresses:
    return (await UPDATES.of(context)).addresses


Updates = Annotated[UpdatesLibrary, Resolve(updates_of)]
Addresses = Annotated[PersonalAddresses, Resolve(_addresses_of)]
