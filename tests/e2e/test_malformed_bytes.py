"""Requests as bytes that no client library would send, to the whole app: none gets a 5xx, and the app lives on."""

from __future__ import annotations

import asyncio
import os
import random
from typing import Final
from urllib.parse import urlsplit

import pytest

# The nightly workflow sends more, in proportion to those that reach the app without a socket.
REQUESTS: Final = int(os.environ.get("FUZZ_MALFORMED", "4000")) // 40
# After which a connection that says nothing waits for more of the request.
SECONDS: Final = 0.25
MANY: Final = "&".join(f"a{number}=1" for number in range(21))
_POST: Final = b"POST /mcp HTTP/1.1\r\nHost: HOST\r\n"
_CHUNKED: Final = _POST + b"Transfer-Encoding: chunked\r\n\r\n"
KNOWN: Final[dict[str, bytes]] = {
    "21 parameters": f"GET /resources?{MANY} HTTP/1.1\r\nHost: HOST\r\n\r\n".encode(),
    "21 parameters for OpenAPI": f"GET /openapi.json?{MANY} HTTP/1.1\r\nHost: HOST\r\n\r\n".encode(),
    "a type beyond ASCII": b"POST /tools/whoami HTTP/1.1\r\nHost: HOST\r\nContent-Type: \xe9\r\n"
    b"Content-Length: 2\r\n\r\n{}",
    "a type beyond ASCII of a file": b"PUT /resources?uri=file:///a HTTP/1.1\r\nHost: HOST\r\nContent-Type: \xe9\r\n"
    b"Content-Length: 2\r\n\r\n{}",
    "half a host": b"GET /health HTTP/1.1\r\nHost: [::1\r\n\r\n",
    "half a host of MCP": b"POST /mcp HTTP/1.1\r\nHost: [::1\r\nContent-Length: 2\r\n\r\n{}",
    "a host with a bracket": b"GET /changes HTTP/1.1\r\nHost: a]b\r\n\r\n",
    "a host with a path": b"GET /health HTTP/1.1\r\nHost: a/b?c#d\r\n\r\n",
    "a host beyond ASCII": b"GET /health HTTP/1.1\r\nHost: \xff\xfe\r\n\r\n",
    "a broken encoded host": b"GET /health HTTP/1.1\r\nHost: xn--\xff.com\r\n\r\n",
    "no host": b"GET /health HTTP/1.1\r\n\r\n",
    "an older version": b"GET /health HTTP/1.0\r\n\r\n",
    "a path beyond UTF-8": b"GET /tools/%ff%fe HTTP/1.1\r\nHost: HOST\r\n\r\n",
    "a tool beyond UTF-8": b"POST /tools/%ed%a0%80 HTTP/1.1\r\nHost: HOST\r\nContent-Length: 2\r\n\r\n{}",
    "a tool of a raw byte": b"POST /tools/\xff HTTP/1.1\r\nHost: HOST\r\nContent-Length: 2\r\n\r\n{}",
    "an address in full": b"GET http://evil.example/health HTTP/1.1\r\nHost: HOST\r\n\r\n",
    "a broken address in full": b"GET http://[::1/health HTTP/1.1\r\nHost: HOST\r\n\r\n",
    "an address of the server": b"OPTIONS * HTTP/1.1\r\nHost: HOST\r\n\r\n",
    "a tunnel": b"CONNECT evil.example:443 HTTP/1.1\r\nHost: HOST\r\n\r\n",
    "an upgrade": b"GET /mcp HTTP/1.1\r\nHost: HOST\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
    "an unknown method": b"BREW /mcp HTTP/1.1\r\nHost: HOST\r\n\r\n",
    "a body that is not packed": _POST + b"Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}",
    "an unknown packing": _POST + b"Content-Encoding: x\r\nContent-Length: 2\r\n\r\n{}",
    "an unknown charset": _POST + b"Content-Type: application/json; charset=\xff\r\nContent-Length: 2\r\n\r\n{}",
    "a session of bytes": b"GET /tools HTTP/1.1\r\nHost: HOST\r\nSession-Id: \xff\xff\r\n\r\n",
    "a choice of bytes": b"GET /tools HTTP/1.1\r\nHost: HOST\r\nX-MCP-Tools: \xff\r\n\r\n",
    "an etag of bytes": b"GET /tools HTTP/1.1\r\nHost: HOST\r\nIf-None-Match: \xff\r\n\r\n",
    "a trace of bytes": b"GET /tools HTTP/1.1\r\nHost: HOST\r\nTraceparent: \xff\r\nTracestate: \xff\r\n\r\n",
    "a negative length": _POST + b"Content-Length: -1\r\n\r\n",
    "two lengths": _POST + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
    "a length with a sign": _POST + b"Content-Length: +2\r\n\r\n{}",
    "a length of an underscore": _POST + b"Content-Length: 1_0\r\n\r\n{}",
    "a chunk of a huge size": _CHUNKED + b"ffffffffffffffff\r\n",
    "a chunk with a sign": _CHUNKED + b"-2\r\n{}\r\n0\r\n\r\n",
    "a chunk with 0x": _CHUNKED + b"0x2\r\n{}\r\n0\r\n\r\n",
    "a chunk without its end": _CHUNKED + b"2\r\n{}0\r\n\r\n",
    "a folded header": b"GET /health HTTP/1.1\r\nHost: HOST\r\nX: a\r\n b\r\n\r\n",
    "a space before a colon": b"GET /health HTTP/1.1\r\nHost : HOST\r\n\r\n",
    "bare line feeds": b"GET /health HTTP/1.1\nHost: HOST\n\n",
    "a timer of bytes": b"POST /admin/functions/%ff HTTP/1.1\r\nHost: HOST\r\nContent-Length: 2\r\n\r\n{}",
    "a hundred and fifty headers": b"GET /health HTTP/1.1\r\nHost: HOST\r\n" + b"X: y\r\n" * 150 + b"\r\n",
}


async def answered(url: str, request: bytes, seconds: float = SECONDS) -> int:
    """The status with which this is answered; 0 where the connection is closed instead, or waits for more."""
    parts = urlsplit(url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    writer.write(request.replace(b"HOST", parts.netloc.encode()))
    try:
        line = await asyncio.wait_for(reader.readline(), seconds)
    except (ConnectionResetError, TimeoutError):
        return 0
    finally:
        writer.close()
    return int(line.split(b" ")[1]) if line else 0


@pytest.mark.parametrize("request_", KNOWN.values(), ids=KNOWN)
async def test_what_is_not_quite_http_is_answered_without_a_5xx(app_url: str, request_: bytes) -> None:
    assert await answered(app_url, request_, 1) < 500
    assert await answered(app_url, b"GET /health HTTP/1.1\r\nHost: HOST\r\n\r\n", 20) == 200


async def test_no_spoilt_bytes_get_a_5xx(app_url: str) -> None:
    dice = random.Random(20261123)  # noqa: S311 - no secret comes of it
    known = list(KNOWN.values())
    for _ in range(REQUESTS):
        request = bytearray(dice.choice(known))
        for _ in range(dice.randint(1, 4)):
            at = dice.randrange(len(request))
            request[at : at + dice.randint(0, 2)] = dice.choice(
                (dice.randbytes(2), b"\r\n", b"%", b":", b" ", b"", b"0")
            )
        assert await answered(app_url, bytes(request)) < 500, bytes(request)
