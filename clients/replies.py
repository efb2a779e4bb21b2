"""Reading an answer: only so much of it, whatever it is compressed to, and whole."""

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

# As it comes and decompressed: no page of any list that we ask for has a quarter of it.
LARGEST_REPLY: Final = 16 * 1024 * 1024
# So much is decompressed before other requests have their turn.
_PIECE: Final = 256 * 1024
_BEGINNING: Final = 64 * 1024
_WINDOWS: Final = {"gzip": 16 + zlib.MAX_WBITS, "deflate": zlib.MAX_WBITS}


class TooLargeError(DecodeError):
    """The answer is larger than anything that was asked for could be. Asking again would not help."""


@dataclass(frozen=True)
class HttpReply:
    """What a service answered. `is_cut` says that there was more of it than was read."""

    request: HttpRequest
    status_code: int
    reason: str | None
    headers: Mapping[str, str]
    content: bytes = b""
    is_cut: bool = False

    def text(self) -> str:
        """Its beginning. Exceptions of azure-core ask for it, and parse whatever they get."""
        return self.content[:_BEGINNING].decode("utf-8-sig", errors="replace")

    @cached_property
    def document(self) -> Any:
        """The JSON that it holds.

        Raises:
            DecodeError: It holds none, or only a part.
            TooLargeError: It has more parts than can be read without making others wait.
        """
        try:
            # Some answers begin with a byte order mark, which JSON does not allow.
            return decoded(self.content.decode("utf-8-sig", errors="replace"))
        except TooManyParts as error:
            raise TooLargeError(str(error), response=self, error=error) from error
        except (ValueError, RecursionError) as error:
            raise DecodeError("The answer is not JSON, or only a part of it.", response=self, error=error) from error


async def reply_of(response: AsyncHttpResponse, cut_at: int | None = None) -> HttpReply:
    """Read an answer: up to `cut_at` bytes of it, or else all.

    Raises:
        DecodeError: It came damaged.
        TooLargeError: It has more bytes than any answer may have, and was not to be cut.
    """
    largest = LARGEST_REPLY if cut_at is None else cut_at
    content = bytearray()
    async with response:  # whoever stops reading, or is stopped, gives the connection back
        async for piece in _decompressed(response):
            content += piece
            if len(content) > largest:
                break
    if len(content) > largest and cut_at is None:
        raise TooLargeError(f"The answer has more than {largest} bytes.", response=_reply(response, b""))
    return _reply(response, bytes(content[:largest]), is_cut=len(content) > largest)


def _reply(response: AsyncHttpResponse, content: bytes, *, is_cut: bool = False) -> HttpReply:
    return HttpReply(response.request, response.status_code, response.reason, response.headers, content, is_cut)


async def _decompressed(response: AsyncHttpResponse) -> AsyncIterator[bytes]:
    """The content piece by piece, none of them large.

    Raises:
        DecodeError: It cannot be decompressed.
    """
    encoding = response.headers.get("Content-Encoding", "identity").lower()
    # To HEAD, the header tells of content that does not come.
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
        raise DecodeError("The answer cannot be decompressed.", response=_reply(response, b""), error=error) from error
    if not unpacking.eof:
        raise DecodeError("The answer ended before its end.", response=_reply(response, b""))


async def _raw_up_to(response: AsyncHttpResponse, largest: int) -> AsyncIterator[bytes]:
    """The content as it comes, of which even a lot may decompress to nothing."""
    size = 0
    async for piece in response.iter_raw():
        size += len(piece)
        if size > largest:
            raise TooLargeError(f"The answer has more than {largest} bytes.", response=_reply(response, b""))
        yield piece
