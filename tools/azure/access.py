"""How Azure tools reach Azure: one client per call, made for its caller."""

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
    # The SDK only needs to know how a tool's dependency is made; the client is imported when it is opened.
    Azure = OperationsLibrary = Any

AZURE: Final[Key[AzureAccess]] = Key("azure")


FetchLink = Callable[[str, int], Awaitable[bytes]]


@dataclass(frozen=True, slots=True)
class AzureAccess:
    """Makes the client of each call: all share connections, each has its caller's authorization."""

    client: Callable[[Caller], Azure]
    # The claims of the token used to call Azure for a caller; empty if the token cannot be read.
    claims: Callable[[Caller], Awaitable[Mapping[str, Any]]]
    # The library of Azure operations, made on first use.
    operations: Callable[[], OperationsLibrary]
    # The public azd templates.
    gallery: Gallery
    # The app's own identity, for background tasks, and the ids of the scopes where it may act.
    own: Callable[[], Azure]
    # Reads a URL on an allowed host, up to a number of bytes.
    fetch_link: FetchLink
    scopes_of_work: tuple[str, ...] = ()


async def _client_of(context: Context) -> Azure:
    azure = (await AZURE.of(context)).client(context.visit.caller)
    return azure.anew() if context.is_changing else azure


async def _opened_of(context: Context) -> AzureAccess:
    return await AZURE.of(context)


Opened = Annotated[AzureAccess, Resolve(_opened_of)]
Arm = Annotated[Azure, Resolve(_client_of)]
