"""Packs of git objects in memory. A pack from a git server is checked before objects are created from the pack."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from hashlib import sha1
from io import BytesIO
from typing import Final

from dulwich.errors import ApplyDeltaError, ChecksumMismatch, ObjectFormatException
from dulwich.object_format import SHA1
from dulwich.objects import ShaFile
from dulwich.pack import (
    Pack,
    PackData,
    UnresolvedDeltas,
    full_unpacked_object,
    load_pack_index_file,
    read_pack_header_at,
    write_pack_data,
    write_pack_index,
)

from refusal import Refusal
from workspaces.limits import LARGEST_OBJECT, MEGABYTE, MOST_INFLATED, MOST_OBJECTS

_BROKEN: Final = (ApplyDeltaError, ChecksumMismatch, ObjectFormatException, UnresolvedDeltas)
_OFFSET_DELTA: Final = 6
_NAMED_DELTA: Final = 7
_HEADER: Final = 12
_TRAILER: Final = 20
# How many bytes of an object are decompressed first. This number is small, because most objects are small and the
# unused rest must be copied.
_FIRST_PIECE: Final = 512
_PIECE: Final = 64 * 1024
# The maximum number of bytes that encode the two sizes at the start of a delta.
_SIZES: Final = 20
_MORE: Final = 0x80
# The maximum number of bytes that encode a size or an offset. Computing a longer number would take too long.
_LONGEST_NUMBER: Final = 10


@dataclass(frozen=True, slots=True)
class IndexedPack:
    """A pack and its index. The name is a digest of the content, so packs with the same name are identical."""

    name: str
    data: bytes
    index: bytes

    @property
    def size(self) -> int:
        return len(self.data) + len(self.index)

    def opened(self) -> Pack:
        index = load_pack_index_file(f"{self.name}.idx", BytesIO(self.index), SHA1)
        return Pack.from_objects(PackData(f"{self.name}.pack", SHA1, file=BytesIO(self.data)), index)


def packed_objects(objects: Iterable[ShaFile]) -> IndexedPack:
    """Create a pack from objects that this server created."""
    ordered = sorted(objects, key=lambda one: one.id)
    content = BytesIO()
    write_pack_data(
        content.write, (full_unpacked_object(one) for one in ordered), num_records=len(ordered), object_format=SHA1
    )
    return _index(content.getvalue())


def packed_by_others(content: bytes) -> IndexedPack:
    """Check a pack from a git server, and create its index.

    Raises:
        Refusal: The pack is invalid or too large.
    """
    try:
        _look_through(content)
        return _index(content)
    except (*_BROKEN, zlib.error, IndexError, AssertionError, KeyError, ValueError) as error:
        raise Refusal(f"The server sent a pack that cannot be read ({type(error).__name__}).") from None


def _index(content: bytes) -> IndexedPack:
    index = BytesIO()
    with closing(PackData("new.pack", SHA1, file=BytesIO(content))) as data:
        checksum = data.get_stored_checksum()
        write_pack_index(index, data.sorted_entries(), checksum, version=2)
    return IndexedPack(checksum.hex(), content, index.getvalue())


def _look_through(content: bytes) -> None:
    """Check that no object in the pack is too large. Only one decompressed piece at a time is in memory."""
    _check_sum(content)
    _, count = read_pack_header_at(content)
    if count > MOST_OBJECTS:
        raise Refusal(f"The server sent {count} objects; the limit is {MOST_OBJECTS}. Clone with a smaller depth.")
    at, inflated = _HEADER, 0
    for _ in range(count):
        made, at = _object_at(content, at)
        inflated += made
        if inflated > MOST_INFLATED:
            raise Refusal(
                f"The repository exceeds {MOST_INFLATED // MEGABYTE} MB uncompressed. Clone with a smaller depth."
            )


def _check_sum(content: bytes) -> None:
    if sha1(content[:-_TRAILER], usedforsecurity=False).digest() != content[-_TRAILER:]:
        raise Refusal(
            "The server closed the connection, or sent a pack with a wrong checksum. Nothing was stored; try again."
        )


def _object_at(content: bytes, at: int) -> tuple[int, int]:
    """The size of the object at a position in the pack, and the position of the next object."""
    kind, size, at = _kind_and_size(content, at)
    _check_size(size)
    first, at = _inflate(content, _after_base(kind, content, at), size)
    if kind not in {_OFFSET_DELTA, _NAMED_DELTA}:
        return size, at
    _, place = _number(first, 0)
    made, _ = _number(first, place)
    _check_size(made)
    return size + made, at


def _after_base(kind: int, content: bytes, at: int) -> int:
    """The position after the reference to the base object. Only deltas have such a reference."""
    if kind == _OFFSET_DELTA:
        return _end_of_number(content, at)
    return at + _TRAILER if kind == _NAMED_DELTA else at


def _kind_and_size(content: bytes, at: int) -> tuple[int, int, int]:
    first, end = content[at], _end_of_number(content, at)
    size = first & 0x0F
    for place, byte in enumerate(content[at + 1 : end]):
        size |= (byte & 0x7F) << (4 + 7 * place)
    return (first >> 4) & 7, size, end


def _end_of_number(content: bytes, at: int) -> int:
    """The position after a number. In each byte, one bit says whether the number continues."""
    for place in range(at, at + _LONGEST_NUMBER):
        if not content[place] & _MORE:
            return place + 1
    raise ValueError("a number is too long")


def _number(delta: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = delta[at]
        value |= (byte & 0x7F) << shift
        shift, at = shift + 7, at + 1
        if not byte & _MORE:
            return value, at


def _check_size(size: int) -> None:
    if size > LARGEST_OBJECT:
        raise Refusal(
            f"This repository contains an object of {size // MEGABYTE} MB, and its server cannot omit large"
            f" objects. A workspace can contain objects of up to {LARGEST_OBJECT // MEGABYTE} MB."
        )


def _inflate(content: bytes, at: int, size: int) -> tuple[bytes, int]:
    """The first decompressed bytes of an object, and the position after the object.

    Stop if the decompressed data exceeds the announced size.
    """
    inflater = zlib.decompressobj()
    first, length, piece = b"", 0, _FIRST_PIECE
    pending = b""
    while not inflater.eof:
        if not pending:
            pending = content[at : at + piece]
            at, piece = at + len(pending), _PIECE
            if not pending:
                raise ValueError("it is truncated")
        made = inflater.decompress(pending, _PIECE)
        pending = inflater.unconsumed_tail
        first = (first + made)[:_SIZES]
        length += len(made)
        if length > size:
            raise ValueError("an object is larger than announced")
    if length != size:
        raise ValueError("an object is smaller than announced")
    return first, at - len(inflater.unused_data)
