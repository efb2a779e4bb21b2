"""Reads the text of a blob from an offset, or its last lines."""

from __future__ import annotations

from dataclasses import dataclass, replace
from io import StringIO
from typing import Final

from clients.azure.messages import AzureAnswer
from clients.azure.storage import blobs
from clients.azure.storage.blobs import BlobAddress, BlobPiece
from clients.azure.storage.data import Data
from clients.azure.storage.decoding import LONGEST_MARK, DecodedText, text_of
from refusal import Refusal

# The maximum number of bytes in an answer.
LONGEST: Final = 256 * 1024


@dataclass(frozen=True, slots=True)
class BlobContent:
    """The part of a blob that was read.

    The text is None if the blob is binary. `following` is the offset of the first byte that was not read.
    """

    size: int | None
    content_type: str
    encoding: str
    text: str | None = None
    charset: str = ""
    start: int = 0
    following: int | None = None


async def read(data: Data, place: BlobAddress, start: int, length: int) -> BlobContent:
    """Read a range of bytes."""
    known = await blobs.properties(data, place)
    piece = await blobs.piece(data, place, known, start, length)
    return _read(known, piece, await _text(data, place, known, piece))


async def last_lines(data: Data, place: BlobAddress, lines: int, length: int) -> BlobContent:
    """Read the last lines, within a maximum number of bytes."""
    known = await blobs.properties(data, place)
    if blobs.encoding_of(known):
        piece = _end_of(await blobs.whole(data, place), length)
    else:
        piece = await blobs.piece(data, place, known, _start_of_end(blobs.size_of(known), length), length)
    text = await _text(data, place, known, piece)
    found = _read(known, piece, text)
    return found if text is None else _shortened(found, text, lines)


async def _text(data: Data, place: BlobAddress, known: AzureAnswer, piece: BlobPiece) -> DecodedText | None:
    is_start = not piece.start
    beginning = piece.content[:LONGEST_MARK] if is_start else await _beginning(data, place, known, piece)
    content_type = known.headers.get("Content-Type", "")
    return text_of(piece.content, content_type, beginning, is_start=is_start, is_end=piece.reaches_end)


async def _beginning(data: Data, place: BlobAddress, known: AzureAnswer, piece: BlobPiece) -> bytes:
    """Read the start of a blob, where a byte order mark may name the encoding of the whole blob."""
    if b"\0" not in piece.content:
        return b""
    return (await blobs.piece(data, place, known, 0, LONGEST_MARK)).content


def _read(known: AzureAnswer, piece: BlobPiece, text: DecodedText | None) -> BlobContent:
    content_type, encoding = known.headers.get("Content-Type", ""), blobs.encoding_of(known)
    if text is None:
        return BlobContent(blobs.size_of(known), content_type, encoding)
    used = piece.start + text.used
    following = None if piece.reaches_end else used
    start = piece.start + text.skipped
    return BlobContent(blobs.size_of(known), content_type, encoding, text.text, text.charset, start, following)


def _shortened(found: BlobContent, text: DecodedText, lines: int) -> BlobContent:
    """Keep only the last lines. If possible, the text begins with a complete line."""
    kept = list(StringIO(text.text, newline="\n"))
    if found.start and len(kept) > 1:
        kept = kept[1:]
    last = "".join(kept[-lines:])
    before = text.text.removesuffix(last)
    return replace(found, text=last, start=found.start + len(before.encode(text.charset)))


def _end_of(piece: BlobPiece, length: int) -> BlobPiece:
    if not piece.reaches_end:
        raise Refusal(
            "The decompressed blob is too large. Read the beginning of the blob, or create a link to the blob."
        )
    start = _start_of_end(piece.size, length)
    return BlobPiece(piece.content[start:], start, piece.size)


def _start_of_end(size: int, length: int) -> int:
    """The offset of the last `length` bytes.

    The offset is rounded up to a multiple of four, so that no character of a fixed-width encoding is cut.
    """
    start = max(size - length, 0)
    return start + -start % LONGEST_MARK if start else 0
