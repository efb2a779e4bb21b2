"""The kinds of resources, by the scheme of their addresses. One that is added here is served as files are."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Protocol

from mcp.server.mcpserver import Context

from mcp_server.declarations.shelf import AddressError
from tools.provider import Provider, Providers
from tools.shelves.addresses import SCHEME
from tools.shelves.provider import files_of, provider

# No more of a resource is ever read into memory, or written at once.
LARGEST: Final = 2 * 1024 * 1024
# For an etag: whatever is there.
ANY: Final = "*"


@dataclass(frozen=True, slots=True)
class Entry:
    """What is known of a resource without reading it."""

    uri: str
    name: str
    media_type: str
    size: int
    etag: str
    modified: datetime


@dataclass(frozen=True, slots=True)
class Entries:
    """Some of them, and where the next page begins, if there is one."""

    entries: Sequence[Entry]
    after: str = ""


class Keeper(Protocol):
    """Keeps the resources of one kind, as they are open to one caller."""

    async def entries(self, prefix: str, after: str, most: int) -> Entries:
        """Those whose addresses begin so, from where an earlier page said that this one begins."""

    async def look(self, uri: str) -> Entry | None: ...

    async def read(self, uri: str, start: int, most: int) -> tuple[Entry, bytes] | None:
        """One, and no more of its content than so many bytes from the start."""

    async def write(self, uri: str, content: bytes, media_type: str, etag: str) -> Entry:
        """Write it over the one with this etag; without one, where none is.

        Raises:
            OutdatedError: It is another one now. Nothing was written.
        """

    async def delete(self, uri: str, etag: str) -> None:
        """Delete the one with this etag.

        Raises:
            OutdatedError: It is another one now.
            MissingError: There is none.
        """


@dataclass(frozen=True, slots=True)
class Kind:
    """`needs` has to be configured for it; `keeper` is who keeps it for the caller of a context."""

    scheme: str
    needs: Provider[Any, Any]
    keeper: Callable[[Context[Providers, Any]], Awaitable[Keeper]]


KINDS: Final = (Kind(SCHEME, provider, files_of),)


def kind_of(uri: str) -> Kind:
    """The kind of an address.

    Raises:
        AddressError: It is of none.
    """
    scheme = uri.partition(":")[0]
    found = next((kind for kind in KINDS if kind.scheme == scheme), None)
    if found is None:
        schemes = ", ".join(f"{kind.scheme}://" for kind in KINDS)
        raise AddressError(f"Addresses of resources begin with {schemes}.")
    return found


async def keeper_of(uri: str, context: Context[Providers, Any]) -> Keeper:
    return await kind_of(uri).keeper(context)
