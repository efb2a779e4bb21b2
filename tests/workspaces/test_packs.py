"""Packs that hostile servers send: none is made that is none, or that makes too much."""

from __future__ import annotations

import zlib
from contextlib import closing
from hashlib import sha1

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refusal import Refusal
from tests.sweeps import examples
from workspaces.limits import MOST_OBJECTS
from workspaces.packs import packed_by_others


def pack(*objects: bytes, count: int | None = None) -> bytes:
    content = b"PACK" + (2).to_bytes(4) + (len(objects) if count is None else count).to_bytes(4) + b"".join(objects)
    return summed(content)


def summed(content: bytes) -> bytes:
    return content + sha1(content, usedforsecurity=False).digest()


def head(kind: int, size: int) -> bytes:
    first, rest = (kind << 4) | (size & 15), size >> 4
    made = bytearray()
    while rest:
        made.append(first | 0x80)
        first, rest = rest & 0x7F, rest >> 7
    return bytes([*made, first])


def number(value: int) -> bytes:
    made = bytearray()
    while value > 127:
        made.append((value & 127) | 128)
        value >>= 7
    return bytes([*made, value])


def blob(content: bytes, announced: int | None = None) -> bytes:
    return head(3, len(content) if announced is None else announced) + zlib.compress(content)


ZEROS = zlib.compress(b"\0" * 20_000_000, 9)
DELTA = number(5) + number(400_000_000) + b"\x90\x05"
PACKS = {
    "nothing": b"",
    "a few bytes": b"PACK",
    "another file": b"GIF89a" + b"\0" * 40,
    "another version": summed(b"PACK" + (9).to_bytes(4) + (0).to_bytes(4)),
    "a wrong checksum": pack(blob(b"a"))[:-1] + b"x",
    "cut off": pack(blob(b"a" * 100))[:-30],
    "more than announced": pack(blob(b"a" * 1000, announced=10)),
    "less than announced": pack(blob(b"a", announced=1000)),
    "a bomb that says so": pack(head(3, 400_000_000) + ZEROS),
    "a bomb that does not": pack(head(3, 10) + ZEROS),
    "no end": pack(head(3, 1000) + zlib.compress(b"a" * 1000)[:-5]),
    "fewer objects": pack(blob(b"a"), count=5),
    "many more objects": pack(blob(b"a"), count=MOST_OBJECTS + 1),
    "all objects there are": pack(blob(b"a"), count=2**32 - 1),
    "a delta of nothing": pack(head(7, len(DELTA)) + b"\0" * 20 + zlib.compress(DELTA)),
    "a delta that makes too much": pack(blob(b"aaaaa"), head(6, len(DELTA)) + bytes([15]) + zlib.compress(DELTA)),
    "a delta of itself": pack(head(6, 4) + b"\0" + zlib.compress(b"\5\5\x90\5")),
    "a delta before the beginning": pack(head(6, 4) + b"\xff\x7f" + zlib.compress(b"\5\5\x90\5")),
    "a delta without sizes": pack(head(7, 1) + b"\0" * 20 + zlib.compress(b"\xff")),
    "another kind": pack(head(5, 1) + zlib.compress(b"a")),
    "a size without end": pack(b"\xff" * 2_000_000),
    "an offset without end": pack(head(6, 4) + b"\xff" * 2_000_000),
    "50 MB": pack(head(3, 50 * 1024**2)),
    "more than 50 MB": pack(head(3, 50 * 1024**2 + 1)),
    "a size that is too long": pack(b"\xbf" + b"\x80" * 9 + b"\0" + zlib.compress(b"a" * 15)),
    "no zlib": pack(head(3, 5) + b"aaaaaaaaaaa"),
}


@pytest.mark.parametrize("content", PACKS.values(), ids=PACKS)
def test_a_pack_that_is_none_or_makes_too_much_is_refused_and_not_made(content: bytes) -> None:
    with pytest.raises(Refusal):
        packed_by_others(content)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("many more objects", "sent 200001 objects; the limit is 200000"),
        ("a bomb that says so", "an object of 381 MB"),
        ("a delta of nothing", "an object of 381 MB"),
        ("a delta that makes too much", "an object of 381 MB"),
        ("a wrong checksum", "wrong checksum"),
        ("fewer objects", "cannot be read"),
        ("a size without end", "cannot be read"),
        ("50 MB", "cannot be read"),
        ("more than 50 MB", "an object of 50 MB"),
        ("a size that is too long", "cannot be read"),
    ],
)
def test_why_a_pack_is_refused_is_said(name: str, said: str) -> None:
    with pytest.raises(Refusal, match=said):
        packed_by_others(PACKS[name])


@pytest.mark.parametrize("length", [0, 1, 15, 16, 2047, 2048, 300_000])
def test_an_object_of_any_size_is_read(length: int) -> None:
    with closing(packed_by_others(pack(blob(b"a" * length), blob(b"b"))).opened()) as read:
        assert sorted(one.as_raw_string() for one in read.iterobjects()) == sorted([b"a" * length, b"b"])


def test_many_objects_within_their_bound_are_too_much_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workspaces.packs.MOST_INFLATED", 2000)
    assert packed_by_others(pack(blob(b"a" * 1000), blob(b"b" * 1000)))
    with pytest.raises(Refusal, match="MB uncompressed"):
        packed_by_others(pack(blob(b"a" * 1000), blob(b"b" * 1001)))


@given(st.binary(max_size=200), st.integers(0, 5))
@settings(max_examples=examples(80))
def test_whatever_bytes_come_are_a_pack_or_refused(content: bytes, count: int) -> None:
    try:
        packed_by_others(pack(content, count=count))
    except Refusal:
        return
    assert count == 0 or content
