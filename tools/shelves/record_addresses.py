"""Parses URIs of records: `cosmos://`, a container and the record's ID. Each segment is percent-encoded once.

If the partition key has levels below the tenant, the values of these levels come before the ID. The URI never contains
the tenant, which is always the caller's own.
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
# A segment of a URI: an id or a partition key value.
_NAME: Final = re.compile(r"[^/\\?#\x00-\x1f]{1,255}")
_BROKEN_ESCAPE: Final = re.compile("%(?![0-9A-Fa-f]{2})")
_ESCAPE: Final = re.compile("%[0-9A-Fa-f]{2}")


@dataclass(frozen=True, slots=True)
class Address:
    """A record's URI. `names` are the values of the partition key levels below the tenant, followed by the id."""

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
    """A prefix of record URIs. The prefix selects containers, or records in one container."""

    container: str
    # The complete segments after the container, and the start of the next segment. Both fields are empty if the prefix
    # selects containers.
    names: tuple[str, ...] = ()
    begun: str | None = None

    def admits(self, container: str) -> bool:
        return container == self.container if self.begun is not None else container.startswith(self.container)


def address_of(uri: str) -> Address:
    """Parse the URI of a record.

    Raises:
        AddressError: This is not the URI of a record.
    """
    container, *names = _parts_of(uri)
    if not _CONTAINER.fullmatch(container) or not names:
        raise AddressError(
            f"The URI of a record consists of {_BEGINS}, a container and an id, for example {_BEGINS}orders/42."
        )
    return Address(container, tuple(_checked(_decoded(name)) for name in names))


def beginning_of(prefix: str) -> AddressPrefix:
    """Parse a prefix of record URIs."""
    if _BEGINS.startswith(prefix):
        return AddressPrefix("")
    container, *names = _parts_of(prefix)
    if container and not _CONTAINER.fullmatch(container):
        raise AddressError(f"Record URIs start with {_BEGINS} and a container.")
    if not names:
        return AddressPrefix(container)
    return AddressPrefix(container, tuple(_checked(_decoded(name)) for name in names[:-1]), _decoded(names[-1]))


def is_fit(name: object) -> bool:
    """Check whether a value is valid as a segment of a URI."""
    return isinstance(name, str) and not _wrong_with(name)


def _parts_of(uri: str) -> list[str]:
    if not uri.startswith(_BEGINS):
        raise AddressError(f"The URI of a record must start with {_BEGINS}, for example {_BEGINS}orders/42.")
    if "?" in uri or "#" in uri or _BROKEN_ESCAPE.search(uri):
        raise AddressError("In a URI, encode % as %25. Record URIs cannot contain ? or #.")
    return uri.removeprefix(_BEGINS).split("/")


def _decoded(name: str) -> str:
    try:
        return unquote(name, errors="strict")
    except UnicodeDecodeError:
        raise AddressError("The URI is not percent-encoded UTF-8.") from None


def _checked(name: str) -> str:
    if problem := _wrong_with(name):
        raise AddressError(f"Not a valid record URI: {problem}.")
    return name


def _wrong_with(name: str) -> str:
    if not _NAME.fullmatch(name) or name in {".", ".."}:
        return r"a segment is empty or too long, is . or .., or contains / \ ? or #"
    if name != name.strip() or not is_printable(name) or "\ufffd" in name:
        return "a segment has leading or trailing spaces, or invisible characters"
    return "a segment is percent-encoded twice" if _ESCAPE.search(name) else ""
