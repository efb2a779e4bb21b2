"""Lets the app trust the internal authority that issued the certificate of an Azure DevOps Server."""

from __future__ import annotations

import ssl
from pathlib import Path
from typing import TYPE_CHECKING, Final

from aiohttp import ClientSession, DummyCookieJar, TCPConnector

from clients.transport import HttpTransport
from refusal import Refusal

if TYPE_CHECKING:
    from clients.rest import Transport

_BEGINNING: Final = "-----BEGIN "
_LARGEST: Final = 1024 * 1024
_NOT_VALID: Final = "The setting ADO_CA_FILE is not valid:"


def trusting(authorities: str) -> ssl.SSLContext:
    """Return a TLS context that also trusts these certificates, given as a file path or as PEM text."""
    # In single-line settings, line breaks are written as in JSON.
    is_text = authorities.startswith(_BEGINNING)
    certificates = authorities.replace("\\n", "\n") if is_text else _content(Path(authorities))
    context = ssl.create_default_context()
    try:
        context.load_verify_locations(cadata=certificates)
    except (ssl.SSLError, ValueError):
        raise Refusal(f"{_NOT_VALID} it has no valid certificates in PEM format.") from None
    return context


def transport_trusting(authorities: str) -> Transport:
    """Return an HTTP transport that also trusts servers with certificates from these authorities."""
    connector = TCPConnector(ssl=trusting(authorities))
    session = ClientSession(connector=connector, cookie_jar=DummyCookieJar(), auto_decompress=False)
    transport: Transport = HttpTransport(session=session)
    return transport


def _content(path: Path) -> str:
    try:
        with path.open(encoding="ascii") as file:
            return file.read(_LARGEST)
    except (OSError, UnicodeError, ValueError):
        raise Refusal(
            f"{_NOT_VALID} it must contain certificates in PEM format or the path of a readable file."
        ) from None
