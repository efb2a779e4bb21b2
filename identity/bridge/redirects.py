"""To which addresses a client may have its users sent back."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final
from urllib.parse import SplitResult, urlencode, urlsplit

from refusal import Refusal

LONGEST: Final = 500
LOOPBACK: Final = {"localhost", "127.0.0.1", "::1"}

# Visible ASCII, save what ends an attribute, a header or a host in somebody's reading of it.
_VISIBLE: Final = re.compile(r"[!$-;=?-Z_a-z~\[\]]+")
_SCHEME: Final = re.compile(r"[a-z][a-z0-9+.-]*")
# Browsers and operating systems act on these themselves, instead of handing them to the program that asked.
_TAKEN: Final = {
    *"about blob cid chrome chrome-extension content data devtools edge feed file filesystem ftp ftps gopher".split(),
    *"intent irc jar javascript ldap livescript magnet mailto mhtml mid mocha moz-extension news nfs res".split(),
    *"resource search search-ms sftp shell sip skype sms smb ssh steam tel telnet vbscript view-source vnc".split(),
    *"wss ws wyciwyg x-apple.systempreferences".split(),
}


def checked_redirect(uri: str) -> str:
    """Return the address as it is.

    Raises:
        Refusal: Nobody may be sent there with a code.
    """
    if len(uri) > LONGEST:
        raise Refusal(f"A redirect URI has up to {LONGEST} characters.")
    try:
        parts = urlsplit(uri)
        fine = bool(_VISIBLE.fullmatch(uri)) and "@" not in parts.netloc and _may_be_led_to(uri, parts)
        _ = parts.port  # reading it is what checks it
    except ValueError:
        fine = False
    if not fine:
        raise Refusal(
            "A redirect URI is https, http to localhost, 127.0.0.1 or [::1], or has a scheme of the client's own such"
            " as cursor://; it has no user and no fragment."
        )
    return uri


def is_same_redirect(registered: str, asked: str) -> bool:
    """Whether both are the same text; on loopback the port may differ, since programs listen where they can."""
    return registered == asked or (
        is_loopback(registered) and is_loopback(asked) and _without_port(registered) == _without_port(asked)
    )


def is_loopback(uri: str) -> bool:
    parts = urlsplit(uri)
    return parts.scheme == "http" and parts.hostname in LOOPBACK


def is_assured(uri: str) -> bool:
    """Whether only one party can receive what is sent there. A program on a machine can be anyone."""
    return uri.startswith("https://")


def with_query(uri: str, parameters: dict[str, str]) -> str:
    """The address as it is, with more in its query."""
    separator = "&" if "?" in uri else "?"
    return f"{uri}{separator}{urlencode(parameters)}"


def matching(registered: Sequence[str], asked: str) -> bool:
    return any(is_same_redirect(uri, asked) for uri in registered)


def _may_be_led_to(uri: str, parts: SplitResult) -> bool:
    scheme, _, rest = uri.partition(":")
    if not _SCHEME.fullmatch(scheme):
        return False
    if scheme in {"http", "https"}:
        is_host = bool(parts.hostname) and rest.startswith("//")
        return is_host and (scheme == "https" or parts.hostname in LOOPBACK)
    is_reversed_domain = "." in scheme  # com.example.app:/path belongs to whom the domain belongs to
    is_of_the_system = scheme in _TAKEN or scheme.startswith("ms-")
    return not is_of_the_system and (is_reversed_domain or rest.startswith("//")) and len(rest) > 2


def _without_port(uri: str) -> tuple[str | None, str, str]:
    parts = urlsplit(uri)
    return parts.hostname, parts.path or "/", parts.query
