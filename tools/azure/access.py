"""How the tools of Azure get at it: the client of one call, made for its caller."""

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
    # Of what a tool takes, the SDK wants to know only how it is made: the client is imported where it is opened.
    Azure = OperationsLibrary = Any

AZURE: Final[Key[AzureAccess]] = Key("azure")


FetchLink = Callable[[str, int], Awaitable[bytes]]


@dataclass(frozen=True, slots=True)
class AzureAccess:
    """What makes the client of one call: all share the connections, and each has its caller's authorization."""

    client: Callable[[Caller], Azure]
    # What the token says with which Azure is called for a caller; nothing where it is none that can be read.
    claims: Callable[[Caller], Awaitable[Mapping[str, Any]]]
    # What Azure can be asked, made when it is first wanted.
    operations: Callable[[], OperationsLibrary]
    # The public templates of azd.
    gallery: Gallery
    # The app's own identity, for long work that nobody waits for, and the ids of the scopes on which it may act.
    own: Callable[[], Azure]
    # Reads what is at an address on a host that settings allow, up to so many bytes.
    fetch_link: FetchLink
    scopes_of_work: tuple[str, ...] = ()


async def _client_of(context: Context) -> Azure:
    azure = (await AZURE.of(context)).client(context.visit.caller)
    return azure.anew() if context.is_changing else azure


async def _opened_of(context: Context) -> AzureAccess:
    return await AZURE.of(context)


Opened = Annotated[AzureAccess, Resolve(_opened_of)]
Arm = Annotated[Azure, Resolve(_client_of)]
