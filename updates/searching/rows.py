"""Stores updates in the format of answers: JSON fragments that are copied into answers unchanged, and a compressed
text.
"""

from __future__ import annotations

import json
import mmap
import zlib
from array import array
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from functools import lru_cache
from json.encoder import encode_basestring as quoted
from pathlib import Path
from typing import Any, Final, NamedTuple

from updates.record import Availability, Update
from updates.searching.index_format import DICTIONARY, OFFSETS, ROWS

_DICTIONARY_BYTES = 32_768  # the window size of deflate
_RAW_DEFLATE = -15
_LEVEL = 3  # twice as fast as the default level, with 5% more bytes
_BEGINNING = b"rows"  # the file must not be empty, because empty files cannot be memory-mapped
_DAY: Final = len("2027-03-31")
_RING_OF_STATUS: Final = {"Launched": "General Availability", "In preview": "Preview"}
# Separates the parts of a row. JSON escapes line breaks, so only the last part can contain line breaks.
_BREAK: Final = "\n"


class UpdateRow(NamedTuple):
    """An update without its text, as fragments of JSON objects. The fragments have the same order as in answers.

    `brief` contains all fields that follow the title in a short result. `rest` contains the fields that are left out of
    lists: history, timestamps and availabilities.
    """

    id_and_title: str
    labels: str
    days: str
    withdrawn: str
    brief: str
    rest: str
    summary: str

    @classmethod
    def of(cls, update: Update, summary: str, withdrawn: str | None, history: Sequence[Mapping[str, Any]]) -> UpdateRow:
        created, modified = update.created[:_DAY], update.modified[:_DAY]
        days = f',"modified":{quoted(modified)}'
        withdrawn_day = f',"withdrawn":{quoted(withdrawn[:_DAY])}' if withdrawn else ""
        status, dates = _status(update.status), _dates(update.availabilities)
        brief_status = "" if _is_told_by_dates(update) else status
        # For an update without availability dates, the result shows when it was last modified.
        undated = "" if update.availabilities else days
        moments = f"[{quoted(update.created)},{quoted(update.modified)},{quoted(withdrawn) if withdrawn else 'null'}]"
        return cls(
            id_and_title=f'"id":{quoted(update.id)},"title":{quoted(update.title)}',
            labels=f"{status}{_labels(update.tags, update.product_categories, update.products)}{dates.listed}",
            days=(f',"created":{quoted(created)}' if created != modified else "") + days,
            withdrawn=withdrawn_day,
            brief=f"{brief_status}{dates.in_words}{withdrawn_day}{undated}",
            rest=f"[{dates.plain},{moments},{compact_json(history) if history else '[]'}]",
            summary=summary,
        )

    @property
    def document(self) -> dict[str, Any]:
        """The update as a JSON object, without its summary. The object's `rest` contains the fields that are left out
        of lists.
        """
        document: dict[str, Any] = json.loads(f'{{{self.id_and_title}{self.labels},"rest":{self.rest}}}')
        return document


# Cached, because most updates share these values with others.
_SHARED: Final = lru_cache(maxsize=1024)


@_SHARED
def _status(status: str | None) -> str:
    return f',"status":{quoted(status)}' if status else ""


@_SHARED
def _labels(tags: tuple[str, ...], categories: tuple[str, ...], products: tuple[str, ...]) -> str:
    lists = {"tags": tags, "productCategories": categories, "products": products}
    return "".join(f',"{name}":{compact_json(texts)}' for name, texts in lists.items() if texts)


class _Dates(NamedTuple):
    """The dates of an update in three forms: a list of texts, a single text, and objects."""

    listed: str
    in_words: str
    plain: str


@_SHARED
def _dates(availabilities: tuple[Availability, ...]) -> _Dates:
    if not availabilities:
        return _Dates("", "", "[]")
    shown = [str(availability) for availability in availabilities]
    plain = [(availability.ring, availability.year, availability.month) for availability in availabilities]
    return _Dates(
        f',"availabilities":{compact_json(shown)}', f',"dates":{quoted(", ".join(shown))}', compact_json(plain)
    )


def _is_told_by_dates(update: Update) -> bool:
    """Check whether the dates of an update already imply its status, so that short results can omit the status."""
    ring = _RING_OF_STATUS.get(update.status or "")
    return any(availability.ring == ring for availability in update.availabilities)


def compact_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


class RowWriter(AbstractContextManager["RowWriter"]):
    """Writes the row of each update to files. The files are complete when the `with` block ends."""

    def __init__(self, folder: Path, samples: Sequence[str]) -> None:
        """Open the files. The compression dictionary is built from `samples`, which are texts of updates."""
        self._folder = folder
        self._dictionary = _bytes("".join(samples))[-_DICTIONARY_BYTES:]
        self._compressor = zlib.compressobj(_LEVEL, wbits=_RAW_DEFLATE, zdict=self._dictionary)
        self._offsets = array("Q", [len(_BEGINNING)])
        self._file = (folder / ROWS).open("wb")
        self._file.write(_BEGINNING)

    def add(self, row: UpdateRow, body: str) -> None:
        self._write(_bytes(_BREAK.join(row)))
        compressing = self._compressor.copy()  # copying is much faster than loading the dictionary again
        self._write(compressing.compress(_bytes(body)) + compressing.flush())

    def __exit__(self, *_: object) -> None:
        self._file.close()
        (self._folder / OFFSETS).write_bytes(self._offsets.tobytes())
        (self._folder / DICTIONARY).write_bytes(self._dictionary)

    def _write(self, part: bytes) -> None:
        self._offsets.append(self._offsets[-1] + self._file.write(part))


class UpdateRows:
    """Reads the rows of updates by number. Rows are numbered in the order in which they were written."""

    def __init__(self, folder: Path) -> None:
        self._dictionary = (folder / DICTIONARY).read_bytes()
        self._offsets = memoryview((folder / OFFSETS).read_bytes()).cast("Q")
        with (folder / ROWS).open("rb") as file:
            self._content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)

    def row(self, number: int) -> UpdateRow:
        return UpdateRow(*self._part(2 * number).decode().split(_BREAK, len(UpdateRow._fields) - 1))

    def body(self, number: int) -> str:
        decompressor = zlib.decompressobj(_RAW_DEFLATE, self._dictionary)
        return decompressor.decompress(self._part(2 * number + 1)).decode()

    def _part(self, number: int) -> bytes:
        return self._content[self._offsets[number] : self._offsets[number + 1]]


def _bytes(text: str) -> bytes:
    return text.encode(errors="replace")
