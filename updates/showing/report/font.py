"""A TrueType font for PDFs: the glyphs, their widths, and the file."""

from __future__ import annotations

import struct
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Final

_FOLDER: Final = Path(__file__).parent / "fonts"
REGULAR: Final = "NotoSans-Regular"
BOLD: Final = "NotoSans-Bold"
# Replaces characters that the font does not contain. The glyph of this character is an empty box.
_MISSING: Final = "\ufffd"
_PER_EM: Final = 1000


class Font:
    """A TrueType font. Widths are in thousandths of the font size."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.file = (_FOLDER / f"{name}.ttf").read_bytes()
        self._tables = dict(_tables(self.file))
        self._scale = _PER_EM / self._number("head", 18)
        self.glyphs = {**self._characters(), ord(_MISSING): 0}
        self.widths = self._advances()
        self.ascent, self.descent = (round(self._signed("hhea", at) * self._scale) for at in (4, 6))
        self.box = [round(self._signed("head", at) * self._scale) for at in (36, 38, 40, 42)]

    def shown(self, text: str) -> str:
        """Replace each run of unsupported characters with one empty box."""
        if all(ord(letter) in self.glyphs for letter in text):
            return text
        runs = groupby(text, lambda letter: ord(letter) in self.glyphs)
        return "".join("".join(run) if has else _MISSING for has, run in runs)

    def width(self, text: str, size: float) -> float:
        return sum(self.widths[self.glyphs[ord(letter)]] for letter in text) * size / _PER_EM

    def encoded(self, text: str) -> str:
        return "".join(f"{self.glyphs[ord(letter)]:04x}" for letter in text)

    def _number(self, table: str, at: int, form: str = ">H") -> int:
        (value,) = struct.unpack_from(form, self.file, self._tables[table] + at)
        return int(value)

    def _signed(self, table: str, at: int) -> int:
        return self._number(table, at, ">h")

    def _advances(self) -> list[int]:
        count, glyphs = self._number("hhea", 34), self._number("maxp", 4)
        given = [round(self._number("hmtx", 4 * glyph) * self._scale) for glyph in range(count)]
        return given + given[-1:] * (glyphs - count)

    def _characters(self) -> dict[int, int]:
        """Return the glyph number of each character, from the font's Unicode table."""
        cmap = self._tables["cmap"]
        offsets = (self._number("cmap", 8 + 8 * entry, ">I") for entry in range(self._number("cmap", 2)))
        start = next(cmap + at for at in offsets if self._number("cmap", at) == 4)
        count = struct.unpack_from(">H", self.file, start + 6)[0] // 2
        ends, starts, deltas, ranges = (
            struct.unpack_from(f">{count}H", self.file, start + 14 + 2 * count * part + (2 if part else 0))
            for part in range(4)
        )
        found: dict[int, int] = {}
        for segment in range(count):
            for code in range(starts[segment], min(ends[segment], 0xFFFE) + 1):
                glyph = code
                if ranges[segment]:
                    place = start + 16 + 6 * count + 2 * segment + ranges[segment] + 2 * (code - starts[segment])
                    (glyph,) = struct.unpack_from(">H", self.file, place)
                if glyph:
                    found[code] = (glyph + deltas[segment]) & 0xFFFF
        return {code: glyph for code, glyph in found.items() if glyph}


@cache
def font(name: str) -> Font:
    return Font(name)


def _tables(file: bytes) -> list[tuple[str, int]]:
    (count,) = struct.unpack_from(">H", file, 4)
    entries = (struct.unpack_from(">4sIII", file, 12 + 16 * entry) for entry in range(count))
    return [(name.decode("ascii"), offset) for name, _, offset, _ in entries]
