"""The updates as they are shown: a summary that is read at once, and a body that is kept compressed."""

from __future__ import annotations

import json
import mmap
import zlib
from array import array
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NamedTuple

from updates.searching.index_format import DICTIONARY, OFFSETS, ROWS

_DICTIONARY_BYTES = 32_768  # as far back as deflate can see
_RAW_DEFLATE = -15
_LEVEL = 3  # takes half the time of the usual one, for a twentieth more of bytes
_BEGINNING = b"rows"  # no file is empty, since an empty one cannot be mapped into memory


class UpdateRow(NamedTuple):
    """What is shown of an update without reading its body. `availabilities` are of ring, year and month."""

    id: str
    title: str
    summary: str
    status: str | None
    tags: Sequence[str]
    product_categories: Sequence[str]
    products: Sequence[str]
    availabilities: Sequence[tuple[str, int | None, int | None]]
    created: str
    modified: str
    withdrawn: str | None
    history: Sequence[Mapping[str, Any]]


class RowWriter(AbstractContextManager["RowWriter"]):
    """Writes rows one after the other; the files are whole once it is left."""

    def __init__(self, folder: Path, samples: Sequence[str]) -> None:
        """`samples` are bodies in which a compressor finds what all have in common."""
        self._folder = folder
        self._dictionary = _bytes("".join(samples))[-_DICTIONARY_BYTES:]
        self._compressor = zlib.compressobj(_LEVEL, wbits=_RAW_DEFLATE, zdict=self._dictionary)
        self._offsets = array("Q", [len(_BEGINNING)])
        self._file = (folder / ROWS).open("wb")
        self._file.write(_BEGINNING)

    def add(self, row: UpdateRow, body: str) -> None:
        self._write(_bytes(json.dumps(row, ensure_ascii=False, separators=(",", ":"))))
        compressing = self._compressor.copy()  # far cheaper than to learn the dictionary anew
        self._write(compressing.compress(_bytes(body)) + compressing.flush())

    def __exit__(self, *_: object) -> None:
        self._file.close()
        (self._folder / OFFSETS).write_bytes(self._offsets.tobytes())
        (self._folder / DICTIONARY).write_bytes(self._dictionary)

    def _write(self, part: bytes) -> None:
        self._offsets.append(self._offsets[-1] + self._file.write(part))


class UpdateRows:
    """Reads rows by their numbers, in the order in which they were written."""

    def __init__(self, folder: Path) -> None:
        self._dictionary = (folder / DICTIONARY).read_bytes()
        self._offsets = memoryview((folder / OFFSETS).read_bytes()).cast("Q")
        with (folder / ROWS).open("rb") as file:
            self._content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)

    def row(self, number: int) -> UpdateRow:
        return UpdateRow(*json.loads(self._part(2 * number).decode()))  # told that it is text, the reader is faster

    def body(self, number: int) -> str:
        decompressor = zlib.decompressobj(_RAW_DEFLATE, self._dictionary)
        return decompressor.decompress(self._part(2 * number + 1)).decode()

    def _part(self, number: int) -> bytes:
        return self._content[self._offsets[number] : self._offsets[number + 1]]


def _bytes(text: str) -> bytes:
    return text.encode(errors="replace")
