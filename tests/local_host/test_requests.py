"""What a function is given of an HTTP request: the platform's view of it, quirks and all."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Callable
from io import BytesIO
from typing import Any

import pytest
from aiohttp import ClientSession
from hypothesis import given
from hypothesis import strategies as st

from local_host.web import joined
from tests.local_host.raw import exchange, exchange_after_answer, exchange_in_pieces, first_head, request


async def echoed(sample: str, head: str, body: bytes = b"") -> Any:
    status, answer = await exchange(sample, request(head, body))
    assert status == 200, answer
    return json.loads(answer.partition(b"\r\n\r\n")[2])


async def test_a_body_of_announced_length_reaches_the_function(sample: str) -> None:
    seen = await echoed(sample, "POST /echo/ HTTP/1.1|Host: h|Content-Length: 5", b"hello")
    assert (seen["method"], seen["body"]) == ("POST", "hello")


async def test_a_chunked_body_reaches_the_function(sample: str) -> None:
    body = b"5\r\nhello\r\n1;note=x\r\n!\r\n0\r\n\r\n"
    seen = await echoed(sample, "POST /echo/ HTTP/1.1|Host: h|Transfer-Encoding: chunked", body)
    assert seen["body"] == "hello!"


async def test_a_connection_goes_on_after_a_chunked_body(client: ClientSession) -> None:
    async def chunks() -> Any:
        yield b"in "
        yield b"parts"

    for _ in range(2):
        async with client.post("/echo/", data=chunks()) as answer:
            assert (await answer.json())["body"] == "in parts"
        async with client.post("/echo/", data=b"seen") as answer:
            assert (await answer.json())["body"] == "seen"


CHUNKED = "POST /echo/ HTTP/1.1|Host: h|Transfer-Encoding: chunked"
TRAILERS = {
    "announced": (f"{CHUNKED}|Trailer: X-Role", b"5\r\nhello\r\n0\r\n\r\n"),
    "announced and sent": (f"{CHUNKED}|Trailer: X-Role", b"5\r\nhello\r\n0\r\nX-Role: admin\r\n\r\n"),
    "not announced": (CHUNKED, b"5\r\nhello\r\n0\r\nX-Role: admin\r\n\r\n"),
    "of a choice": (CHUNKED, b"5\r\nhello\r\n0\r\nX-MCP-Readonly: false\r\n\r\n"),
    "of the framing": (CHUNKED, b"5\r\nhello\r\n0\r\nContent-Length: 3\r\n\r\n"),
    "of an empty body": (CHUNKED, b"0\r\nX-Role: admin\r\n\r\n"),
}


@pytest.mark.parametrize(("head", "body"), TRAILERS.values(), ids=TRAILERS)
async def test_trailers_are_rejected(sample: str, head: str, body: bytes) -> None:
    status, answer = await exchange(sample, request(head, body))
    assert status == 400
    assert b"hello" not in answer


async def test_trailers_in_pieces_are_rejected_too(sample: str) -> None:
    sent = request(CHUNKED, b"5\r\nhello\r\n0\r\nX-Role: admin\r\n\r\n")
    for cut in range(len(sent) - 25, len(sent)):
        assert (await exchange_in_pieces(sample, sent[:cut], sent[cut:]))[0] == 400


async def test_a_client_that_still_sends_reads_why_its_trailers_are_rejected(sample: str) -> None:
    sent = request(CHUNKED, b"5\r\nhello\r\n0\r\nX-Role: admin\r\n")
    answer = await asyncio.to_thread(exchange_after_answer, sample, sent, b"X-Other: 1\r\n\r\n")
    assert answer.endswith(b"\r\n\r\nTrailers are not supported: send all headers before the body.\n")


@pytest.mark.parametrize("encoding", ["gzip, chunked", "identity", "xchunked", "chunked, chunked", "chunked;q=1"])
async def test_no_other_transfer_encoding_is_accepted(sample: str, encoding: str) -> None:
    body = b"5\r\nhello\r\n0\r\n\r\n"
    head = f"POST /echo/ HTTP/1.1|Host: h|Transfer-Encoding: {encoding}"
    assert (await exchange(sample, request(head, body)))[0] == 400


async def test_repeated_choices_of_tools_are_not_joined_to_one_list(sample: str) -> None:
    seen = await echoed(sample, "GET /echo/ HTTP/1.1|Host: h|X-MCP-Tools: a,b|x-mcp-tools:|X-Mcp-Tools: b")
    assert seen["headers"]["x-mcp-tools"] == "a,b &  & b"


async def test_header_names_are_lowercase_and_repeated_ones_joined(sample: str) -> None:
    seen = await echoed(sample, "GET /echo/ HTTP/1.1|HOST: h|X-One: a|x-one: b|X-ONE:|Accept: x, y")
    assert (seen["headers"]["x-one"], seen["headers"]["accept"]) == ("a,b", "x, y")
    assert all(name == name.lower() for name in seen["headers"])


@pytest.mark.parametrize(
    ("query", "seen"),
    [
        ("a=1&b=2", {"a": "1", "b": "2"}),
        ("a=1&a=2", {"a": "1,2"}),
        ("A=1&a=2", {"A": "1,2"}),
        ("a=&b&c=3", {"c": "3"}),
        ("a=&a=1", {"a": "1"}),
        ("a=x+y%26%C3%A9", {"a": "x y&é"}),
    ],
)
async def test_a_query_is_joined_and_loses_empty_values(sample: str, query: str, seen: dict[str, str]) -> None:
    assert (await echoed(sample, f"GET /echo/?{query} HTTP/1.1|Host: h"))["query"] == seen


async def test_the_url_is_the_one_that_was_asked_for(sample: str) -> None:
    seen = await echoed(sample, "GET /echo/%C3%A9%20x?a=%2F&a=2 HTTP/1.1|Host: example.com:99")
    assert seen["url"] == "http://example.com:99/echo/%C3%A9%20x?a=%2F&a=2"


@pytest.mark.parametrize(
    ("path", "rest"), [("%C3%A9%20x", "é x"), ("a%2Fb", "a%2Fb"), ("a%252Fb", "a%2Fb"), ("a/b/", "a/b/"), ("%25", "%")]
)
async def test_route_values_are_decoded_except_for_slashes(sample: str, path: str, rest: str) -> None:
    assert (await echoed(sample, f"GET /echo/{path} HTTP/1.1|Host: h"))["route"] == {"rest": rest}


@pytest.mark.parametrize(
    ("method", "path", "answer"),
    [
        ("GET", "/items/recent", ["recent", {}]),
        ("GET", "/ITEMS/Recent/", ["recent", {}]),
        ("GET", "/items/7", ["by_id", {"id": "7"}]),
        ("GET", "/items/seven", ["a_name", {"name": "seven"}]),
        ("DELETE", "/items/7", ["remove", {"name": "7"}]),
        ("PATCH", "/without_methods", "PATCH"),
        ("GET", "/without_route", "without_route"),
    ],
)
async def test_a_request_goes_to_the_most_specific_function(
    client: ClientSession, method: str, path: str, answer: object
) -> None:
    async with client.request(method, path) as response:
        assert await response.json() == answer


@pytest.mark.parametrize(
    ("method", "path"), [("POST", "/items/7"), ("GET", "/nowhere"), ("GET", "/"), ("GET", "/admin/functions/nightly")]
)
async def test_what_no_route_lists_is_not_found_and_empty(client: ClientSession, method: str, path: str) -> None:
    async with client.request(method, path) as response:
        assert (response.status, await response.read()) == (404, b"")


async def test_a_body_over_the_limit_is_refused_before_it_is_sent(sample: str) -> None:
    limit = 210 * 2**20
    head = await first_head(sample, request(f"POST /echo/ HTTP/1.1|Host: h|Content-Length: {limit + 1}"))
    assert head.startswith(b"HTTP/1.1 413 ")
    assert b"Content-Length: 0" in head


async def test_a_body_of_several_megabytes_is_taken(client: ClientSession) -> None:
    async with client.post("/echo/", data=BytesIO(b"x" * 5_000_000)) as response:
        assert len((await response.json())["body"]) == 5_000_000


async def test_a_client_that_asks_first_is_told_to_continue(sample: str) -> None:
    head = "POST /echo/ HTTP/1.1|Host: h|Expect: 100-continue|Content-Length: 2"
    status, answer = await exchange(sample, request(head, b"ok"))
    assert status == 100
    assert answer.startswith(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK")


@pytest.mark.parametrize(
    "nonsense",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n",
        b"GET /echo/ HTTP/9.9\r\n\r\n",
        request("GET /echo/ HTTP/1.1|Host: h|Content-Length: -1"),
        request("GET /echo/ HTTP/1.1|Host: h|Content-Length: 1|Transfer-Encoding: chunked"),
        request("POST /echo/ HTTP/1.1|Host: h|Transfer-Encoding: chunked", b"zz\r\n"),
        request(f"GET /echo/{'x' * 20_000} HTTP/1.1|Host: h"),
        request(f"GET /echo/ HTTP/1.1|Host: h|X: {'x' * 20_000}"),
    ],
)
async def test_what_is_not_http_is_refused_and_the_host_lives_on(
    sample: str, client: ClientSession, nonsense: bytes
) -> None:
    status, _ = await exchange(sample, nonsense)
    assert status == 400
    async with client.get("/text") as response:
        assert response.status == 200


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
@pytest.mark.parametrize("path", ["/echo/", "/admin/functions/nightly"])
async def test_a_body_that_its_encoding_does_not_fit_is_refused_in_a_line(
    sample: str, path: str, encoding: str
) -> None:
    head = f"POST {path} HTTP/1.1|Host: h|Content-Type: application/json|Content-Encoding: {encoding}"
    status, answer = await exchange(sample, request(f"{head}|Content-Length: 5", b"hello"))
    assert status == 400
    assert answer.endswith(f"\r\n\r\nThe body cannot be read: the encoding is not {encoding}.".encode())


async def test_a_compressed_body_reaches_the_function_as_it_was(sample: str) -> None:
    body = gzip.compress(b"hello")
    head = f"POST /echo/ HTTP/1.1|Host: h|Content-Encoding: gzip|Content-Length: {len(body)}"
    assert (await echoed(sample, head, body))["body"] == "hello"


@pytest.mark.parametrize(
    ("nonsense", "reason"),
    [
        (request("GET /echo/ HTTP/1.1|Host: h|Bad Secret: S3cret"), "Invalid header token"),
        (request("GET /echo/ HTTP/1.1|Host: h|Authorization: S3cret\0"), "Invalid header value char"),
        (request("GET /echo/ HTTP/1.1|Host: h|Host: S3cret"), "Duplicate 'Host' header found"),
        (request("GET http://[S3cret/ HTTP/1.1|Host: h"), "Invalid URL"),
        (request(f"GET /echo/ HTTP/1.1|Host: h|X: S3cret{'x' * 20_000}"), "Got more than 8190 bytes when reading"),
        (
            request("POST /echo/ HTTP/1.1|Host: h|Content-Encoding: gzip|Content-Length: 6", b"S3cret"),
            "Can not decode content-encoding",
        ),
    ],
)
async def test_what_is_not_http_is_a_line_in_the_log(
    sample: str, logged: Callable[[], str], nonsense: bytes, reason: str
) -> None:
    before = logged().count("\n")
    await exchange(sample, nonsense)
    (line,) = [line for line in logged().splitlines()[before:] if "local_host" not in line]
    assert line.endswith(f"WARNING aiohttp.server -] Rejected a request that is not HTTP: {reason}")


@given(st.lists(st.tuples(st.sampled_from("aAbB"), st.text("xy,", max_size=3))))
def test_joining_keeps_every_value_under_one_spelling(pairs: list[tuple[str, str]]) -> None:
    result = joined(pairs)
    assert len({name.lower() for name in result}) == len(result)
    for name, text in result.items():
        values = [value for other, value in pairs if other.lower() == name.lower()]
        assert text == ",".join(filter(None, values))
    assert {name.lower() for name, _ in pairs} == {name.lower() for name in result}
