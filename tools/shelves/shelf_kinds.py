"""The kinds of resources, by the scheme of their addresses. One that is added here is served as files are."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final

from mcp_server.declarations.shelf import AddressError
from mcp_server.visit import Context, Visit
from tools.cosmos_data import TOOLSET
from tools.cosmos_data.key import RECORDS
from tools.key import Key
from tools.shelves import addresses, record_addresses
from tools.shelves.access import FILES, files_of
from tools.shelves.keeper import ShelfKeeper
from tools.shelves.record_shelf import RecordShelf

# No more of a resource is ever read into memory, or written at once.
LARGEST: Final = 2 * 1024 * 1024
# For an etag: whatever is there.
ANY: Final = "*"


@dataclass(frozen=True, slots=True)
class ShelfKind:
    """`needs` has to be configured for it; `keeper` is who keeps it for the caller of a context.

    `opens_to` is whether it is there for a caller. What is not open is like what there is not.
    """

    scheme: str
    needs: Key[Any]
    keeper: Callable[[Context], Awaitable[ShelfKeeper]]
    opens_to: Callable[[Visit], bool] = lambda _: True


async def _records_of(context: Context) -> ShelfKeeper:
    return RecordShelf(context.visit, await RECORDS.of(context))


def _opens_records(visit: Visit) -> bool:
    return visit.view.opens(TOOLSET, "cosmos_db_read")


KINDS: Final = (
    ShelfKind(addresses.SCHEME, FILES, files_of),
    ShelfKind(record_addresses.SCHEME, RECORDS, _records_of, _opens_records),
)


def kinds_for(context: Context) -> list[ShelfKind]:
    """The kinds that are there for whoever calls."""
    visit, providers = context.visit, context.services
    return [kind for kind in KINDS if providers.has(kind.needs) and kind.opens_to(visit)]


def kind_of(uri: str, context: Context) -> ShelfKind:
    """The kind of an address.

    Raises:
        AddressError: It is of none that is there.
    """
    there, scheme = kinds_for(context), uri.partition(":")[0]
    found = next((kind for kind in there if kind.scheme == scheme), None)
    if found is None:
        schemes = ", ".join(f"{kind.scheme}://" for kind in there)
        raise AddressError(f"Addresses of resources begin with {schemes or 'nothing here: there are none'}.")
    return found


async def keeper_of(uri: str, context: Context) -> ShelfKeeper:
    return await kind_of(uri, context).keeper(context)
