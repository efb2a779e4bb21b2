"""The kinds of shared resources, by URI scheme. The tools for files also work with every kind that is added here."""

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

# The maximum number of bytes to read or write at once.
LARGEST: Final = 2 * 1024 * 1024
# The etag that matches any version.
ANY: Final = "*"


@dataclass(frozen=True, slots=True)
class ShelfKind:
    """A kind of resource. The kind is available if `needs` is configured. `keeper` returns the storage for a caller,
    and `opens_to` checks whether a caller has access.

    For callers without access, the kind appears not to exist.
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
    """Return the kinds of resources that the caller can use."""
    visit, providers = context.visit, context.services
    return [kind for kind in KINDS if providers.has(kind.needs) and kind.opens_to(visit)]


def kind_of(uri: str, context: Context) -> ShelfKind:
    """Return the kind of resource that a URI identifies.

    Raises:
        AddressError: The caller cannot use resources with this URI scheme.
    """
    there, scheme = kinds_for(context), uri.partition(":")[0]
    found = next((kind for kind in there if kind.scheme == scheme), None)
    if found is None:
        schemes = " or ".join(f"{kind.scheme}://" for kind in there)
        raise AddressError(f"Resource URIs start with {schemes}." if there else "No resources are configured.")
    return found


async def keeper_of(uri: str, context: Context) -> ShelfKeeper:
    return await kind_of(uri, context).keeper(context)
