"""Addresses of records: `cosmos://`, a container, and the record's id, each name percent-encoded once.

Where the partition key of the container has further levels, their values stand before the id. The tenant never stands
in an address: it is the caller's own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote, unquote

from invisible import is_printable
from mcp_server.declarations.shelf import AddressError

SCHEME: Final = "cosmos"
_BEGINS: Final = f"{SCHEME}://"
_CONTAINER: Final = re.compile(r"[A-Za-z0-9._-]{1,255}")
# Of names in an address, which are ids, or values of a partition key.
_NAME: Final = re.compile(r"[^/\\?#\x00-\x1f]{1,255}")
_BROKEN_ESCAPE: Final = re.compile("%(?![0-9A-Fa-f]{2})")
_ESCAPE: Final = re.compile("%[0-9A-Fa-f]{2}")


@dataclass(frozen=True, slots=True)
class Address:
    """`names` are the values of further levels of the partition key, and then the id."""

    container: str
    names: tuple[str, ...]

    @property
    def key(self) -> tuple[str, ...]:
        return self.names[:-1]

    @property
    def record(self) -> str:
        return self.names[-1]

    @property
    def uri(self) -> str:
        return _BEGINS + "/".join([self.container, *(quote(name, safe="") for name in self.names)])


@dataclass(frozen=True, slots=True)
class AddressPrefix:
    """The beginning of addresses: of containers alone, or of what is in one of them."""

    container: str
    # Names that are there as a whole, and the beginning of the next; nothing where only containers are meant.
    names: tuple[str, ...] = ()
    begun: str | None = None

    def admits(self, container: str) -> bool:
        return container == self.container if self.begun is not None else container.startswith(self.container)


def address_of(uri: str) -> Address:
    """What an address says.

    Raises:
        AddressError: It is not the address of a record.
    """
    container, *names = _parts_of(uri)
    if not _CONTAINER.fullmatch(container) or not names:
        raise AddressError(f"The address of a record is {_BEGINS}, a container and an id, as {_BEGINS}orders/42 is.")
    return Address(container, tuple(_checked(_decoded(name)) for name in names))


def beginning_of(prefix: str) -> AddressPrefix:
    """What the beginning of addresses says.

    Raises:
        AddressError: No address of a record begins so.
    """
    if _BEGINS.startswith(prefix):
        return AddressPrefix("")
    container, *names = _parts_of(prefix)
    if container and not _CONTAINER.fullmatch(container):
        raise AddressError(f"Addresses of records begin with {_BEGINS} and a container.")
    if not names:
        return AddressPrefix(container)
    return AddressPrefix(container, tuple(_checked(_decoded(name)) for name in names[:-1]), _decoded(names[-1]))


def is_fit(name: object) -> bool:
    """Whether something can stand in an address as a name."""
    return isinstance(name, str) and not _wrong_with(name)


def _parts_of(uri: str) -> list[str]:
    if not uri.startswith(_BEGINS):
        raise AddressError(f"The address of a record begins with {_BEGINS}, as {_BEGINS}orders/42 does.")
    if "?" in uri or "#" in uri or _BROKEN_ESCAPE.search(uri):
        raise AddressError("In an address, write %25 for %; ? and # stand in none of a record.")
    return uri.removeprefix(_BEGINS).split("/")


def _decoded(name: str) -> str:
    try:
        return unquote(name, errors="strict")
    except UnicodeDecodeError:
        raise AddressError("The address is not percent-encoded UTF-8.") from None


def _checked(name: str) -> str:
    if problem := _wrong_with(name):
        raise AddressError(f"That is not the address of a record: {problem}.")
    return name


def _wrong_with(name: str) -> str:
    if not _NAME.fullmatch(name) or name in {".", ".."}:
        return r"a name in it is empty, too long, . or .., or has one of / \ ? #"
    if name != name.strip() or not is_printable(name) or "\ufffd" in name:
        return "a name in it has spaces at its ends, or invisible characters"
    return "a name in it is percent-encoded twice" if _ESCAPE.search(name) else ""
