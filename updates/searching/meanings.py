"""What each update means, beside the index: kept in 64 bytes, compared with what is asked for."""

from __future__ import annotations

import mmap
from collections.abc import Iterable
from contextlib import AbstractContextManager
from pathlib import Path
from statistics import fmean, pstdev

from understanding.features import words_of
from understanding.fingerprints import BYTES, Likeness, fingerprint
from updates.searching.index_format import MEANINGS

_BEGINNING = b"m" * BYTES  # no file is empty, since an empty one cannot be mapped into memory
_SAMPLE = 128


class MeaningWriter(AbstractContextManager["MeaningWriter"]):
    """Writes what updates mean, one after the other; the file is whole once it is left."""

    def __init__(self, folder: Path) -> None:
        self._file = (folder / MEANINGS).open("wb")
        self._file.write(_BEGINNING)

    def add(self, title: str, summary: str) -> None:
        self._file.write(fingerprint(words_of(f"{title}\n{summary}")))

    def __exit__(self, *_: object) -> None:
        self._file.close()


class Meanings:
    """Reads what updates mean, by their numbers."""

    def __init__(self, folder: Path) -> None:
        with (folder / MEANINGS).open("rb") as file:
            self._content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        count = len(self._content) // BYTES - 1
        self._sample = range(0, count, max(1, count // _SAMPLE))

    def near(self, text: str, documents: Iterable[int]) -> dict[int, float]:
        """How much nearer each of these is to a text than updates usually are, in standard deviations."""
        likeness = Likeness(words_of(text))
        if not likeness.is_known:
            return dict.fromkeys(documents, 0.0)
        usual = [likeness.to(self._kept(document)) for document in self._sample]
        mean, deviation = fmean(usual), pstdev(usual) or 1.0
        return {document: (likeness.to(self._kept(document)) - mean) / deviation for document in documents}

    def _kept(self, document: int) -> bytes:
        start = (document + 1) * BYTES
        return self._content[start : start + BYTES]
