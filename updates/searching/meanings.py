"""Stores the embeddings of updates next to the index, and compares them with queries. An embedding has 64 bytes."""

from __future__ import annotations

import mmap
from collections.abc import Collection, Iterable, Sequence
from contextlib import AbstractContextManager
from math import fsum, sqrt
from operator import mul
from pathlib import Path

from understanding.features import words_of
from understanding.fingerprints import BYTES, FingerprintGroup, Likeness, fingerprint
from updates.searching.index_format import MEANINGS

_BEGINNING = b"m" * BYTES  # the file must not be empty, because empty files cannot be memory-mapped
_SAMPLE = 128


class MeaningWriter(AbstractContextManager["MeaningWriter"]):
    """Writes the embedding of each update to a file. The file is complete when the `with` block ends."""

    def __init__(self, folder: Path) -> None:
        self._file = (folder / MEANINGS).open("wb")
        self._file.write(_BEGINNING)

    def add(self, title: str, summary: str) -> None:
        self._file.write(fingerprint(words_of(f"{title}\n{summary}")))

    def __exit__(self, *_: object) -> None:
        self._file.close()


class Meanings:
    """Reads the embeddings of updates by document number."""

    def __init__(self, folder: Path) -> None:
        with (folder / MEANINGS).open("rb") as file:
            self._content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        count = len(self._content) // BYTES - 1
        sample = range(0, count, max(1, count // _SAMPLE))
        self._sample = FingerprintGroup(self._fingerprints(sample))

    def near(self, text: str, documents: Collection[int]) -> dict[int, float]:
        """Return how similar these updates are to a text, in standard deviations above the average update."""
        likeness = Likeness(words_of(text))
        if not likeness.is_known:
            return dict.fromkeys(documents, 0.0)
        mean, deviation = _spread(likeness.to_group(self._sample))
        found = likeness.to_each(self._fingerprints(documents))
        return {document: (one - mean) / deviation for document, one in zip(documents, found, strict=True)}

    def _fingerprints(self, documents: Iterable[int]) -> bytes:
        content = self._content
        return b"".join([content[(document + 1) * BYTES : (document + 2) * BYTES] for document in documents])


def _spread(values: Sequence[float]) -> tuple[float, float]:
    """Return the mean and the standard deviation. This is a hundred times as fast as the `statistics` module."""
    mean = fsum(values) / len(values)
    return mean, sqrt(max(0.0, fsum(map(mul, values, values)) / len(values) - mean * mean)) or 1.0
