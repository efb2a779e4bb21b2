"""Splits chunks of bytes into lines. Each byte is read once, and the length of lines is limited."""

from __future__ import annotations

from collections.abc import Iterator

from refusal import Refusal


class LineSplitter:
    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._rest: list[bytes] = []
        self._size = 0

    def feed(self, piece: bytes) -> Iterator[bytes]:
        """Yield the lines that end in this chunk.

        Raises:
            Refusal: A line is too long.
        """
        *ended, rest = piece.split(b"\n")
        for end in ended:
            self._take(end)
            line, self._rest, self._size = b"".join(self._rest), [], 0
            yield line
        self._take(rest)

    def _take(self, part: bytes) -> None:
        self._size += len(part)
        if self._size > self._longest:
            raise Refusal(f"A line is longer than {self._longest} bytes.")
        if part:
            self._rest.append(part)
