"""Displays untrusted text safely: invisible characters become visible, and the page layout stays intact."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from invisible import is_invisible

# Characters that may be misleading: all except printable ASCII characters and line feeds.
_DOUBTFUL: Final = re.compile(r"[^\x20-\x7e\n]")


class TextPiece(NamedTuple):
    """A visible part of an untrusted text, or the name of an invisible character in this text."""

    text: str
    is_name: bool = False


def pieces(text: str) -> Iterator[TextPiece]:
    """Split the text at invisible characters, and replace these characters with their names."""
    begin = 0
    for found in _DOUBTFUL.finditer(text):
        if name := _name(found[0]):
            if found.start() > begin:
                yield TextPiece(text[begin : found.start()])
            yield TextPiece(name, is_name=True)
            begin = found.end()
    if begin < len(text):
        yield TextPiece(text[begin:])


def with_plain_ends(text: str) -> str:
    """Replace Windows line ends with line feeds if the text has no other line ends."""
    is_of_windows = text.count("\r\n") == text.count("\n") == text.count("\r") > 0
    return text.replace("\r\n", "\n") if is_of_windows else text


@lru_cache(maxsize=4096)
def _name(letter: str) -> str:
    return f"U+{ord(letter):04X}" if is_invisible(letter) else ""
