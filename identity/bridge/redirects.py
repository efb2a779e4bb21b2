"""Validates the redirect URIs of clients."""

from __future__ import annotations

import re
from collections.abc import Sequence
from ipaddress import IPv6Address
from typing import Final
from urllib.parse import urlencode, urlsplit

from refusal import Refusal

LONGEST: Final = 500
# The allowed redirect URIs with custom schemes, each for a known client. URIs with other schemes are rejected, because
# the server does not know which program opens them.
OWN_SCHEMES: Final = {
    "com.raycast:/oauth?package_name=Extension",
    "cursor://anysphere.cursor-mcp/oauth/callback",
    "mcpjam://authkit/callback",
    "mcpjam://oauth/callback",
    "raycast://oauth?package_name=Extension",
    "warp://mcp/oauth2callback",
}

# Visible ASCII characters, except `#` and characters that could end an attribute, header or host in some parser.
_VISIBLE: Final = re.compile(r"[!$-;=?-Z_a-z~\[\]]+")
# Matches a host name or address with an optional port, the only allowed text between `//` and the path. URI parsers
# disagree about all other forms.
_PLACE: Final = re.compile(r"(?:([a-z0-9._-]+)|\[([0-9a-f:.]+)\])(?::[0-9]*)?", re.IGNORECASE)
_HERE: Final = {"localhost", "127.0.0.1", IPv6Address("::1")}


def checked_redirect(uri: str) -> str:
    """Return the redirect URI unchanged, if it is allowed."""
    if len(uri) > LONGEST:
        raise Refusal(f"A redirect URI can be up to {LONGEST} characters long.")
    if uri not in OWN_SCHEMES and not _is_of_the_web(uri):
        raise Refusal(
            "A redirect URI must be https, or http to localhost, 127.0.0.1 or [::1], without user info or a fragment."
            f" Allowed custom schemes: {', '.join(sorted(OWN_SCHEMES))}."
        )
    return uri


def is_same_redirect(registered: str, asked: str) -> bool:
    """Whether two redirect URIs are the same.

    Ports of loopback addresses may differ, because programs listen on any free port.
    """
    return registered == asked or (
        is_loopback(registered) and is_loopback(asked) and _without_port(registered) == _without_port(asked)
    )


def is_loopback(uri: str) -> bool:
    return uri.startswith("http://") and _host(uri) in _HERE


def with_query(uri: str, parameters: dict[str, str]) -> str:
    """Add query parameters to a URI."""
    separator = "&" if "?" in uri else "?"
    return f"{uri}{separator}{urlencode(parameters)}"


def matching(registered: Sequence[str], asked: str) -> bool:
    return any(is_same_redirect(uri, asked) for uri in registered)


def _is_of_the_web(uri: str) -> bool:
    try:
        _ = urlsplit(uri).port  # reading the port validates it
        host = _host(uri)
    except ValueError:
        return False
    return bool(_VISIBLE.fullmatch(uri) and host) and (uri.startswith("https://") or is_loopback(uri))


def _host(uri: str) -> str | IPv6Address | None:
    """The host name or numeric address of a URI.

    Return None if the URI contains more than a host and a port between `//` and the path.

    Raises:
        ValueError: The host looks like an address but is invalid.
    """
    place = _PLACE.fullmatch(urlsplit(uri).netloc)
    if not place:
        return None
    return IPv6Address(place[2]) if place[2] else place[1].lower()


def _without_port(uri: str) -> tuple[str | IPv6Address | None, str, str]:
    parts = urlsplit(uri)
    return _host(uri), parts.path or "/", parts.query
