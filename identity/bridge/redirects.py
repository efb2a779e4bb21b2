"""To which addresses a client may have its users sent back."""

from __future__ import annotations

import re
from collections.abc import Sequence
from ipaddress import IPv6Address
from typing import Final
from urllib.parse import urlencode, urlsplit

from refusal import Refusal

LONGEST: Final = 500
# Where known clients listen that have a scheme of their own, each in full: programs and systems do many things at
# addresses of their schemes, and what all of them do nobody knows.
OWN_SCHEMES: Final = {
    "com.raycast:/oauth?package_name=Extension",
    "cursor://anysphere.cursor-mcp/oauth/callback",
    "mcpjam://authkit/callback",
    "mcpjam://oauth/callback",
    "raycast://oauth?package_name=Extension",
    "warp://mcp/oauth2callback",
}

# Visible ASCII, save what ends an attribute, a header or a host in somebody's reading of it, and fragments.
_VISIBLE: Final = re.compile(r"[!$-;=?-Z_a-z~\[\]]+")
# The whole of it: readers differ in what they make of anything beside a name or an address, and a port.
_PLACE: Final = re.compile(r"(?:([a-z0-9._-]+)|\[([0-9a-f:.]+)\])(?::[0-9]*)?", re.IGNORECASE)
_HERE: Final = {"localhost", "127.0.0.1", IPv6Address("::1")}


def checked_redirect(uri: str) -> str:
    """Return the address as it is.

    Raises:
        Refusal: Nobody may be sent there with a code.
    """
    if len(uri) > LONGEST:
        raise Refusal(f"A redirect URI has up to {LONGEST} characters.")
    if uri not in OWN_SCHEMES and not _is_of_the_web(uri):
        raise Refusal(
            "A redirect URI is https, or http to localhost, 127.0.0.1 or [::1], with no user and no fragment. Of those"
            f" with a scheme of a client's own, these are known: {', '.join(sorted(OWN_SCHEMES))}."
        )
    return uri


def is_same_redirect(registered: str, asked: str) -> bool:
    """Whether both are the same text; on loopback the port may differ, since programs listen where they can."""
    return registered == asked or (
        is_loopback(registered) and is_loopback(asked) and _without_port(registered) == _without_port(asked)
    )


def is_loopback(uri: str) -> bool:
    return uri.startswith("http://") and _host(uri) in _HERE


def with_query(uri: str, parameters: dict[str, str]) -> str:
    """The address as it is, with more in its query."""
    separator = "&" if "?" in uri else "?"
    return f"{uri}{separator}{urlencode(parameters)}"


def matching(registered: Sequence[str], asked: str) -> bool:
    return any(is_same_redirect(uri, asked) for uri in registered)


def _is_of_the_web(uri: str) -> bool:
    try:
        _ = urlsplit(uri).port  # reading it is what checks it
        host = _host(uri)
    except ValueError:
        return False
    return bool(_VISIBLE.fullmatch(uri) and host) and (uri.startswith("https://") or is_loopback(uri))


def _host(uri: str) -> str | IPv6Address | None:
    """The name, or the address as the number that it is, if there is nothing else than one of these and a port.

    Raises:
        ValueError: It is to be an address, and is none.
    """
    place = _PLACE.fullmatch(urlsplit(uri).netloc)
    if not place:
        return None
    return IPv6Address(place[2]) if place[2] else place[1].lower()


def _without_port(uri: str) -> tuple[str | IPv6Address | None, str, str]:
    parts = urlsplit(uri)
    return _host(uri), parts.path or "/", parts.query
