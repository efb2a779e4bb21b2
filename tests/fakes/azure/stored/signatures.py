"""Keys that sign links in the name of a user, and whether a link is good."""

from __future__ import annotations

import hmac
from base64 import b64decode, b64encode
from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import sha256
from typing import Final
from urllib.parse import unquote

from clients.azure.storage.xml import parsed
from tests.fakes.azure.stored.asked import Asked, StorageError, element

_USER, _TENANT = "7ace0000-0000-4000-8000-00000000000c", "7ace0000-0000-4000-8000-00000000000d"
_OF_KEY: Final = ("skoid", "sktid", "skt", "ske", "sks", "skv")
# Since 2020-12-06; three of a user's identifiers, an address, the scope of encryption and five headers stay empty here.
_SIGNED: Final = ("sp", "st", "se", "", *_OF_KEY, "saoid", "suoid", "scid", "sip", "spr", "sv", "sr", "snapshot", "ses")
_HEADERS: Final = ("rscc", "rscd", "rsce", "rscl", "rsct")


class Signatures:
    def __init__(self, account: str) -> None:
        self._account = account
        self._secret = sha256(f"invented {account}".encode()).digest()

    def key(self, asked: Asked) -> str:
        """A key from a time to a time, which are what makes it."""
        wanted = parsed(asked.content)
        start, end = (wanted.findtext(name) or "" for name in ("Start", "Expiry"))
        said = (_USER, _TENANT, start, end, "b", asked.headers["x-ms-version"])
        names = ("Oid", "Tid", "Start", "Expiry", "Service", "Version")
        shown = "".join(element(f"Signed{name}", value) for name, value in zip(names, said, strict=True))
        return f"<UserDelegationKey>{shown}{element('Value', self._value(said))}</UserDelegationKey>"

    def check(self, asked: Asked) -> None:
        """Refuse a link that is not good for this request."""
        given = asked.query
        if given.get("sr") != "b" or given.get("sp") != "r" or asked.method not in {"GET", "HEAD"}:
            raise StorageError(403, "AuthorizationPermissionMismatch", "This request is not authorized.")
        if given.get("sig") != self._signature(given, asked.path) or _is_over(given.get("se", "")):
            raise StorageError(403, "AuthenticationFailed", "Server failed to authenticate the request.")

    def _signature(self, given: Mapping[str, str], path: str) -> str:
        resource = f"/blob/{self._account}/{unquote(path)}"
        lines = [given.get(name, "") if name else resource for name in (*_SIGNED, *_HEADERS)]
        key = b64decode(self._value(tuple(given.get(name, "") for name in _OF_KEY)))
        return b64encode(hmac.digest(key, "\n".join(lines).encode(), sha256)).decode()

    def _value(self, said: tuple[str, ...]) -> str:
        return b64encode(hmac.digest(self._secret, "\n".join(said).encode(), sha256)).decode()


def _is_over(end: str) -> bool:
    try:
        return datetime.fromisoformat(end) < datetime.now(UTC)
    except (ValueError, TypeError):
        return True
