"""Reads a response up to a size limit, decompresses it, and checks that it is complete."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from azure.core.exceptions import DecodeError
from azure.core.rest import AsyncHttpResponse, HttpRequest

from clients.decoding import TooManyParts, decoded

# The size limit, both before and after decompression. The pages that this server requests are smaller than a quarter of
# this limit.
LARGEST_REPLY: Final = 16 * 1024 * 1024
# After decompressing this many bytes, let other requests continue.
_PIECE: Final = 256 * 1024
_BEGINNING: Final = 64 * 1024
_WINDOWS: Final = {"gzip": 16 + zlib.MAX_WBITS, "deflate": zlib.MAX_WBITS}


class TooLargeError(DecodeError):
    """The response is larger than expected. A retry would not help."""


@dataclass(frozen=True)
class HttpReply:
    """A response from a service. `is_cut` means that only the start of the response was read."""

    request: HttpRequest
    status_code: int
    reason: str | None
    headers: Mapping[str, str]
    content: bytes = b""
    is_cut: bool = False

    def text(self) -> str:
        """The start of the response, decoded as text. The exceptions of azure-core call this method."""
        return self.content[:_BEGINNING].decode("utf-8-sig", errors="replace")

    @cached_property
    def document(self) -> Any:
        """The JSON in the response. Raises DecodeError if the JSON is invalid. Raises TooLargeError if the JSON has so
        many parts that parsing would block other requests.
        """
        try:
            # Some responses start with a byte order mark, which JSON does not allow.
            return decoded(self.content.decode("utf-8-sig", errors="replace"))
        except TooManyParts as error:
            raise TooLargeError(str(error), response=self, error=error) from error
        except (ValueError, RecursionError) as error:
            raise DecodeError("The response is not JSON, or is incomplete.", response=self, error=error) from error


async def reply_of(response: AsyncHttpResponse, cut_at: int | None = None) -> HttpReply:
    """Read a response, or its first `cut_at` bytes. Raises TooLargeError if a whole response is too large."""
    largest = LARGEST_REPLY if cut_at is None else cut_at
    content = bytearray()
    async with response:  # returns the connection to the pool, even if reading stops early
        async for piece in _decompressed(response):
            content += piece
            if len(content) > largest:
                break
    if len(content) > largest and cut_at is None:
        raise TooLargeError(f"The response is larger than {largest} bytes.", response=_reply(response, b""))
    return _reply(response, bytes(content[:largest]), is_cut=len(content) > largest)


def _reply(response: AsyncHttpResponse, content: bytes, *, is_cut: bool = False) -> HttpReply:
    return HttpReply(response.request, response.status_code, response.reason, response.headers, content, is_cut)


async def _decompressed(response: AsyncHttpResponse) -> AsyncIterator[bytes]:
    """Yield the decompressed content in small pieces.

    Raises:
        DecodeError: The content cannot be decompressed.
    """
    encoding = response.headers.get("Content-Encoding", "identity").lower()
    # In a response to HEAD, the headers describe content that is not sent.
    if encoding == "identity" or response.request.method == "HEAD":
        async for piece in response.iter_raw():
            yield piece
        return
    try:
        unpacking = zlib.decompressobj(_WINDOWS[encoding])
        async for piece in _raw_up_to(response, LARGEST_REPLY):
            rest = piece
            while rest and not unpacking.eof:
                yield unpacking.decompress(rest, _PIECE)
                rest = unpacking.unconsumed_tail
                await asyncio.sleep(0)
    except (zlib.error, KeyError) as error:
        raise DecodeError(
            "The response cannot be decompressed.", response=_reply(response, b""), error=error
        ) from error
    if not unpacking.eof:
        raise DecodeError("The response is incomplete.", response=_reply(response, b""))


async def _raw_up_to(response: AsyncHttpResponse, largest: int) -> AsyncIterator[bytes]:
    """Yield the compressed content up to a limit. Even content that decompresses to nothing could be large."""
    size = 0
    async for piece in response.iter_raw():
        size += len(piece)
        if size > largest:
            raise TooLargeError(f"The response is larger than {largest} bytes.", response=_reply(response, b""))
        yield piece
