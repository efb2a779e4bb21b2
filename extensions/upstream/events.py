"""Parses a stream of server-sent events. Each byte is read once, and the size of events is limited."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from refusal import Refusal

_DATA: Final = b"data"


class Events:
    """Extracts the data of complete server-sent events from chunks of bytes."""

    def __init__(self, largest: int) -> None:
        self._largest = largest
        self._line = bytearray()
        self._data: list[bytes] = []
        self._size = 0
        self._is_after_return = False

    def feed(self, piece: bytes) -> Iterator[bytes]:
        """Yield the data of the events that end in this chunk.

        Raises:
            Refusal: An event is too large.
        """
        if self._is_after_return and piece[:1] == b"\n":
            piece = piece[1:]
        self._is_after_return = piece.endswith(b"\r")
        for line in piece.splitlines(keepends=True):
            self._take(line.rstrip(b"\r\n"))
            if line.endswith((b"\r", b"\n")) and (event := self._ended_line()) is not None:
                yield event

    def _take(self, part: bytes) -> None:
        self._size += len(part)
        if self._size > self._largest:
            raise Refusal(f"An event in the response is larger than {self._largest} bytes.")
        self._line += part

    def _ended_line(self) -> bytes | None:
        line, self._line = bytes(self._line), bytearray()
        if not line:
            return self._ended_event()
        name, _, value = line.partition(b":")
        if name == _DATA:
            self._data.append(value.removeprefix(b" "))
        return None

    def _ended_event(self) -> bytes | None:
        data, self._data, self._size = self._data, [], 0
        return b"\n".join(data) if any(data) else None
