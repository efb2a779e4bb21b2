"""Links are signed as Microsoft's own client signs them, whatever they are of."""

from __future__ import annotations

import hmac
from base64 import b64encode
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from types import SimpleNamespace
from typing import Any, Final, cast
from urllib.parse import parse_qsl

import pytest
from azure.storage.blob import UserDelegationKey, generate_blob_sas
from hypothesis import given
from hypothesis import strategies as st

from clients.azure.storage.data import VERSION, Data
from clients.azure.storage.links import DelegationKey, address, signed

NAMES: Final = st.text(st.characters(codec="utf-8", exclude_characters="\n"), min_size=1, max_size=30)
# What later versions than ours have between its lines: two of a user, two of headers and a query.
LATER: Final = (13, 14, 20, 21)


@given(blob=NAMES, account=st.from_regex(r"[a-z0-9]{3,24}", fullmatch=True), minutes=st.integers(1, 60))
def test_microsofts_client_signs_the_same(blob: str, account: str, minutes: int) -> None:
    end = datetime(2026, 5, 6, 7, 8, 9, tzinfo=UTC) + timedelta(minutes=minutes)
    said = {"skoid": "a", "sktid": "b", "skt": "2026-05-06T07:00:00Z", "ske": "2026-05-06T09:00:00Z"}
    key = DelegationKey({**said, "sks": "b", "skv": VERSION}, b"a key of theirs")
    given = dict(parse_qsl(signed(key, account, "logs", blob, end)))
    lines = _their_lines(key, account, blob, end)
    signature = hmac.digest(key.value, "\n".join(lines).encode(), sha256)
    assert given == {
        "sp": "r",
        "se": lines[2],
        "spr": "https",
        "sv": VERSION,
        "sr": "b",
        **key.said,
        "sig": b64encode(signature).decode(),
    }


def test_a_key_is_never_shown() -> None:
    assert "secret" not in repr(DelegationKey({}, b"secret"))


def _their_lines(key: DelegationKey, account: str, blob: str, end: datetime) -> list[str]:
    """What their client signs for the newest version that it knows, without what is newer than ours."""
    theirs = cast("Any", UserDelegationKey)()
    theirs.signed_oid, theirs.signed_tid = key.said["skoid"], key.said["sktid"]
    theirs.signed_start, theirs.signed_expiry = key.said["skt"], key.said["ske"]
    theirs.signed_service, theirs.signed_version = key.said["sks"], key.said["skv"]
    theirs.value = b64encode(key.value).decode()
    told: list[str] = []
    generate_blob_sas(
        account,
        "logs",
        blob,
        user_delegation_key=theirs,
        permission="r",
        expiry=end,
        protocol="https",
        sts_hook=told.append,
    )
    lines = told[0].split("\n")
    assert [lines[place] for place in LATER] == ["", "", "", ""]
    kept = [line for place, line in enumerate(lines) if place not in LATER]
    kept[15] = VERSION
    return kept


@pytest.mark.parametrize(
    ("blob", "path"),
    [
        ("a/b c.txt", "a/b%20c.txt"),
        (".a/..b/c.", ".a/..b/c."),
        ("a/../b", "a%2F..%2Fb"),
        ("./a", ".%2Fa"),
        ("a//b", "a%2F%2Fb"),
        ("a/", "a%2F"),
    ],
)
def test_the_url_of_a_blob_leads_to_this_blob_in_any_browser(blob: str, path: str) -> None:
    data = cast("Data", SimpleNamespace(service=SimpleNamespace(base_url="https://shop.blob.core.windows.net")))
    assert address(data, "$web", blob) == f"https://shop.blob.core.windows.net/$web/{path}"
