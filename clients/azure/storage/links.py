"""Creates temporary links to blobs. The links work without sign-in. The links are signed with a user delegation key."""

from __future__ import annotations

import hmac
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Final, Self
from urllib.parse import quote, urlencode

from clients.azure.messages import AzureRequest
from clients.azure.storage.data import VERSION, XML, Data
from clients.azure.storage.xml import Element, parsed
from refusal import Refusal

# The start time of a link is this long before the link is created, because the service's clock may be slow.
_EARLIER: Final = timedelta(minutes=5)
_KEY: Final = '<?xml version="1.0" encoding="utf-8"?><KeyInfo><Start>{}</Start><Expiry>{}</Expiry></KeyInfo>'
_SAID: Final = {
    "skoid": "SignedOid",
    "sktid": "SignedTid",
    "skt": "SignedStart",
    "ske": "SignedExpiry",
    "sks": "SignedService",
    "skv": "SignedVersion",
}
_READ, _HTTPS, _OF_A_BLOB = "r", "https", "b"


@dataclass(frozen=True, slots=True)
class DelegationKey:
    """A key that signs links on behalf of a user. The user must have the permissions that a link grants."""

    # Maps the fields of the key to the names of the link parameters.
    said: Mapping[str, str]
    value: bytes = field(repr=False)

    @classmethod
    def of(cls, element: Element) -> Self:
        """Parse Azure's response. Raises Refusal if the response does not contain a key."""
        said = {name: element.findtext(path) or "" for name, path in _SAID.items()}
        try:
            value = b64decode(element.findtext("Value") or "", validate=True)
        except ValueError:
            value = b""
        if not (value and all(said.values())):
            raise Refusal("Azure Storage returned no key for signing the link. Try again.")
        return cls(said, value)


async def delegation_key(data: Data, now: datetime, end: datetime) -> DelegationKey:
    """Request a key on behalf of the caller. The key is valid until `end`."""
    request = AzureRequest(
        "POST /",
        query={"restype": "service", "comp": "userdelegationkey"},
        body=_KEY.format(written(now - _EARLIER), written(end)).encode(),
        content_type=XML,
        accept=XML,
        gives_secrets=True,
        is_read=True,
    )
    return DelegationKey.of(parsed((await data.send(request)).content))


def signed(key: DelegationKey, account: str, container: str, blob: str, end: datetime) -> str:
    """The query string of a link that grants read access to a blob until `end`, and only over https."""
    given = {"sp": _READ, "se": written(end), "spr": _HTTPS, "sv": VERSION, "sr": _OF_A_BLOB, **key.said}
    text = string_to_sign(given, f"/blob/{account}/{container}/{blob}")
    signature = b64encode(hmac.digest(key.value, text.encode(), sha256)).decode()
    return urlencode({**given, "sig": signature}, quote_via=quote, safe="")


def string_to_sign(given: Mapping[str, str], resource: str) -> str:
    """The text to sign. The API version that this server uses determines the lines of the text."""
    before = ("sp", "st", "se")
    after = "skoid sktid skt ske sks skv saoid suoid scid sip spr sv sr snapshot ses rscc rscd rsce rscl rsct".split()
    lines = [given.get(name, "") for name in before]
    return "\n".join([*lines, resource, *(given.get(name, "") for name in after)])


def address(data: Data, container: str, blob: str) -> str:
    """The URL of a blob. Segments that consist of dots are encoded, because browsers would resolve them."""
    is_plain = not {"", ".", ".."} & set(blob.split("/"))
    return f"{data.service.base_url}/{quote(container, safe='$')}/{quote(blob, safe='/' if is_plain else '')}"


def written(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
