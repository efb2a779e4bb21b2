"""Requests as bytes, for what a decent client would not send."""

from __future__ import annotations

import asyncio
import socket
from urllib.parse import urlsplit


async def exchange(url: str, request: bytes) -> tuple[int, bytes]:
    """Send these bytes on a connection of their own; the status and the whole answer."""
    parts = urlsplit(url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    writer.write(request)
    answer = await asyncio.wait_for(reader.read(), 20)
    writer.close()
    await writer.wait_closed()
    return int(answer.split(b" ", 2)[1]), answer


async def exchange_in_pieces(url: str, *pieces: bytes) -> tuple[int, bytes]:
    """Do as `exchange` does, each piece once the one before is on its way."""
    parts = urlsplit(url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    for piece in pieces:
        writer.write(piece)
        await writer.drain()
        await asyncio.sleep(0)
    answer = await asyncio.wait_for(reader.read(), 20)
    writer.close()
    await writer.wait_closed()
    return int(answer.split(b" ", 2)[1]), answer


def exchange_after_answer(url: str, first: bytes, second: bytes) -> bytes:
    """Send the second piece when the answer to the first has arrived but is not yet read; return the answer."""
    parts = urlsplit(url)
    with socket.create_connection((parts.hostname, parts.port), timeout=20) as connection:
        connection.sendall(first)
        connection.recv(1, socket.MSG_PEEK)
        for byte in second:
            connection.sendall(bytes([byte]))
        return b"".join(iter(lambda: connection.recv(4096), b""))


async def first_head(url: str, request: bytes) -> bytes:
    """Send these bytes; the status line and headers that answer them, whether or not the host waits for more."""
    parts = urlsplit(url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    writer.write(request)
    head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 20)
    writer.close()
    await writer.wait_closed()
    return head


def request(head: str, body: bytes = b"") -> bytes:
    """A request that asks to close the connection; lines of the head are parted by |."""
    return "\r\n".join([*head.split("|"), "Connection: close", "", ""]).encode() + body
