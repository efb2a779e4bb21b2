"""Addresses of files: one for each, and none that leads anywhere else."""

from __future__ import annotations

from pathlib import PurePosixPath, PureWindowsPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.declarations.shelf import AddressError
from tools.shelves.addresses import is_fit, path_of, uri_of

# Whatever somebody could try to get out with, mixed with what is harmless.
PIECES = [*"./~a:é\\\0\n ", "..", "%2e", "%2E%2e", "%252e", "%2f", "%5c", "%00", "C:"]


@given(st.text(max_size=60))
def test_a_path_has_one_address(path: str) -> None:
    if is_fit(path):
        assert path_of(uri_of(path)) == path


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join) | st.text(max_size=80))
def test_what_is_taken_leads_to_a_file_below_the_root(rest: str) -> None:
    try:
        path = path_of(f"file:///{rest}")
    except AddressError:
        return
    assert path_of(uri_of(path)) == path
    for pure in (PurePosixPath(path), PureWindowsPath(path)):
        assert not pure.is_absolute()
        assert not pure.drive
        assert not any(part.startswith(".") for part in pure.parts)
        assert "/".join(pure.parts) == path


@pytest.mark.parametrize(
    ("uri", "told"),
    [
        ("file://docs/a.md", "must start with file:///"),
        ("file:///", "1 to 500"),
        ("file:////etc/passwd", "is empty"),
        ("file:///../x", "starts with a dot"),
        ("file:///a/%2e%2e/x", "starts with a dot"),
        ("file:///a/%252e%252e/x", "percent-encoded twice"),
        ("file:///a%5c..%5cx", "contains one of"),
        ("file:///.env", "starts with a dot"),
        ("file:///a/.git/config", "starts with a dot"),
        ("file:///a%00b", "invisible characters"),
        ("file:///a%0d%0ab", "invisible characters"),
        ("file:///a%ef%b8%8fb", "invisible characters"),
        ("file:///a%e3%85%a4b", "invisible characters"),
        ("file:///a%e2%a0%80b", "invisible characters"),
        ("file:///a%e2%80%aeb", "invisible characters"),
        ("file:///a%ff", "not percent-encoded UTF-8"),
        ("file:///a%zz", "%25"),
        ("file:///a?b", "%3F"),
        ("file:///a#b", "%23"),
        ("file:///e%CC%81", "normal form"),
        ("file:///nul.txt", "device"),
        ("file:///a.txt:stream", "contains one of"),
        ("file:///a.", "ends with a dot"),
        ("file:///" + "a" * 501, "1 to 500"),
        ("file:///" + "a" * 5000, "500"),
        ("FILE:///a", "must start with file:///"),
        ("cosmos://a/b", "must start with file:///"),
    ],
)
def test_a_wrong_address_is_refused_with_what_is_wrong(uri: str, told: str) -> None:
    with pytest.raises(AddressError, match=told):
        path_of(uri)
