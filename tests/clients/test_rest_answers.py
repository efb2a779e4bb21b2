"""Answers of great size, and of what is hard to read."""

from __future__ import annotations

import json
import tracemalloc
import zlib

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st

from clients.decoding import MOST_PARTS, decoded
from clients.replies import LARGEST_REPLY, TooLargeError
from tests.clients.rest_service import DAMAGED, Service, client_of

pytestmark = pytest.mark.anyio


def packed(size: int) -> web.Response:
    """So many zeros, which take a thousandth of that on their way."""
    packing = zlib.compressobj(wbits=31)
    pieces = [packing.compress(bytes(1024 * 1024)) for _ in range(size // (1024 * 1024))]
    body = b"".join([*pieces, packing.flush()])
    return web.Response(body=body, headers={"Content-Encoding": "gzip", "Content-Type": "application/json"})


@pytest.mark.parametrize(
    "large",
    [
        pytest.param(packed(256 * 1024 * 1024), id="packed"),
        pytest.param(web.json_response(text=json.dumps("x" * LARGEST_REPLY)), id="plain"),
        pytest.param(web.json_response(text="[" + "[]," * MOST_PARTS + "1]"), id="of many parts"),
    ],
)
async def test_an_answer_larger_than_any_is_not_read_and_not_asked_for_again(large: web.Response) -> None:
    service = Service([large])
    async with client_of(service) as client:
        tracemalloc.start()
        with pytest.raises(TooLargeError):
            await client.get("/x")
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert await client.get("/x") == {}
    assert most < 6 * LARGEST_REPLY
    assert len(service.asked) == 2


async def test_a_packed_answer_that_never_says_anything_ends_somewhere() -> None:
    nothing = zlib.compressobj(wbits=31)
    body = nothing.compress(b"") + nothing.flush(zlib.Z_FULL_FLUSH) + b"\0\0\0\xff\xff" * (LARGEST_REPLY // 5 + 1)
    service = Service([web.Response(body=body, headers=DAMAGED)])
    async with client_of(service) as client:
        with pytest.raises(TooLargeError):
            await client.get("/x")


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (r'"\ud83d\ude00"', "\U0001f600"),
        (r'"a\ud83db"', "a\ufffdb"),
        (r'"\ude00\ud83d"', "\ufffd\ufffd"),
        (r'"\\ud83d"', r"\ud83d"),
        (r'{"\uDC00": 1}', {"\ufffd": 1}),
    ],
)
async def test_half_a_character_becomes_one_that_can_be_shown(text: str, read: object) -> None:
    service = Service([web.json_response(text=text)])
    async with client_of(service) as client:
        assert await client.get("/x") == read


@given(value=st.text(st.characters() | st.characters(categories=["Cs"]), max_size=30))
def test_what_is_read_can_be_written_and_whole_characters_stay(value: str) -> None:
    read = decoded(json.dumps(value))
    read.encode()
    halves = any("\ud800" <= character <= "\udfff" for character in value)
    assert halves or read == value
