"""Connects to the server of an extension. The server may have a private address only if an operator allows this."""

from __future__ import annotations

from typing import Final

from aiohttp import ClientSession, TCPConnector
from yarl import URL

from clients.public_fetch import LONGEST_URL, checked_public, has_readable_host, public_session, session_over
from extensions.upstream.child import ChildWire
from extensions.upstream.circuit import Circuit
from extensions.upstream.process import Command, Prepare
from extensions.upstream.upstream import Era, UpstreamServer
from extensions.upstream.wire import Wire
from refusal import Refusal

_MOST_CONNECTIONS: Final = 20


def upstream_at(
    who: str, url: str, era: Era | None = None, *, is_private: bool = False, largest: int
) -> UpstreamServer:
    """Return the server at a URL, without connecting to it yet.

    Raises:
        Refusal: Requests to this address are not allowed.
    """
    address = checked(url, is_private=is_private)
    wire = Wire(who, address, _session if is_private else public_session, largest)
    return UpstreamServer(wire, Circuit(who), era)


def upstream_of(who: str, command: Command | Prepare, era: Era | None = None, *, largest: int) -> UpstreamServer:
    """Return a server that a command runs as a local process. The process is not started yet."""
    return UpstreamServer(ChildWire(who, command, largest), Circuit(who), era)


def checked(url: str, *, is_private: bool) -> URL:
    """Parse the URL of a server. The server may be in a private network only if `is_private` is set.

    Raises:
        Refusal: The URL is invalid, or requests to this address are not allowed.
    """
    return checked_private(url) if is_private else checked_public(url)


def checked_private(url: str) -> URL:
    """Parse the URL of a server on this machine or in its private network.

    Raises:
        Refusal: The URL is invalid.
    """
    try:
        address = URL(url) if len(url) <= LONGEST_URL and url.isascii() and url.isprintable() else URL()
    except ValueError:
        address = URL()
    if address.scheme not in {"http", "https"} or not has_readable_host(address) or address.user or address.fragment:
        raise Refusal("The URL of a private server must look like http://host:port/path, without a user.")
    return address


def _session() -> ClientSession:
    return session_over(TCPConnector(limit=_MOST_CONNECTIONS))
