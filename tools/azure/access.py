"""Gives each call of an Azure tool its own client, which has the authorization of the caller."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final

from identity.caller import Caller
from mcp_server.declarations.injection import Resolve
from mcp_server.visit import Context
from tools.key import Key

if TYPE_CHECKING:
    from azure_operations.library import OperationsLibrary
    from clients.azd_gallery import Gallery
    from clients.azure.client import Azure
else:
    # Placeholders for types that are slow to import. The real types are imported when the connection to Azure is
    # opened.
    Azure = OperationsLibrary = Any

AZURE: Final[Key[AzureAccess]] = Key("azure")


FetchLink = Callable[[str, int], Awaitable[bytes]]


@dataclass(frozen=True, slots=True)
class AzureAccess:
    """Creates a client for each call. All clients share connections; each client has the authorization of its
    caller.
    """

    client: Callable[[Caller], Azure]
    # Returns the claims in a caller's token for Azure, or no claims if the token cannot be read.
    claims: Callable[[Caller], Awaitable[Mapping[str, Any]]]
    # Returns the library of Azure operations, which is created on first use.
    operations: Callable[[], OperationsLibrary]
    # The public azd templates.
    gallery: Gallery
    # Returns a client that uses the app's own identity, for background tasks.
    own: Callable[[], Azure]
    # Reads at most a given number of bytes from a URL on an allowed host.
    fetch_link: FetchLink
    scopes_of_work: tuple[str, ...] = ()


async def _client_of(context: Context) -> Azure:
    azure = (await AZURE.of(context)).client(context.visit.caller)
    return azure.anew() if context.is_changing else azure


async def _opened_of(context: Context) -> AzureAccess:
    return await AZURE.of(context)


Opened = Annotated[AzureAccess, Resolve(_opened_of)]
Arm = Annotated[Azure, Resolve(_client_of)]
