"""Splits Markdown into paragraphs to translate and text that must stay unchanged."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from translating.spans import has_letters

_LINE: Final = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_PREFIX: Final = re.compile(
    r"(?:[ \t]*(?:>[ \t]?|(?:[-+*]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?))*[ \t]*"
    r"(?:\#{1,6}[ \t]+|\[\^[\w-]{1,60}\]:[ \t]+)?"
)
_FENCE: Final = re.compile(r"(`{3,}|~{3,}|:{3,})")
_DEFINITION: Final = re.compile(r"\[[^\[\]]{1,200}\]:")
_RAW: Final = re.compile(r"<(pre|script|style|textarea)\b", re.IGNORECASE)
_TAIL: Final = re.compile(r"(?:[ \t]#{1,6}+)?(?:(?<![ \t])[ \t]++)?\\?$")
_INDENTED: Final = re.compile(r" {4}| {0,3}\t")
_SENTENCE_ENDS: Final = (".", "!", "?", ":", ";", "。", "\uff01", "\uff1f", "…")
_CELL: Final = re.compile(r"(?:[^|\\`]|\\.|(?<!`)(`{1,5})(?!`)[^\n]{1,1000}?(?<!`)\1(?!`)|`|\\)+|\|")


@dataclass(slots=True)
class Paragraph:
    """A text to translate, which can have several lines. In `text`, spaces replace line breaks, because a translation
    may move line breaks.

    `breaks` maps the position of each such space to the original line break.
    """

    text: str
    breaks: dict[int, str] = field(default_factory=dict)
    is_cell: bool = False


Piece = str | Paragraph


@dataclass(frozen=True, slots=True)
class _Line:
    prefix: str
    words: str
    tail: str

    @classmethod
    def of(cls, raw: str) -> _Line:
        bare = raw.rstrip("\r\n")
        end = raw[len(bare) :]
        prefix = _match(_PREFIX, bare)
        words = bare[len(prefix) :]
        tail = found[0] if (found := _TAIL.search(words)) else ""
        return cls(prefix, words[: len(words) - len(tail)], tail + end)

    @property
    def raw(self) -> str:
        return self.prefix + self.words + self.tail

    @property
    def is_blank(self) -> bool:
        return not self.words.strip()

    @property
    def goes_on(self) -> bool:
        """Check whether the line continues a block instead of starting a new one."""
        return not self.prefix.strip(" \t>")


def pieces_of(text: str) -> list[Piece]:
    """Split a text into pieces. Joined together, the pieces form the original text."""
    return list(_merge(_Reader([_Line.of(raw) for raw in _LINE.findall(text) if raw]).pieces()))


def _merge(pieces: Iterator[Piece]) -> Iterator[Piece]:
    lines: list[str] = []
    for piece in pieces:
        if isinstance(piece, str):
            lines.append(piece)
            continue
        yield "".join(lines)
        lines.clear()
        yield piece
    yield "".join(lines)


class _Reader:
    def __init__(self, lines: Sequence[_Line]) -> None:
        self._lines = lines
        self._place = 0
        self._is_in_list = False

    def pieces(self) -> Iterator[Piece]:
        yield from self._front_matter()
        while self._place < len(self._lines):
            line = self._lines[self._place]
            if closing := _closing(line):
                yield from self._until(closing)
            elif self._is_table:
                yield from self._table()
            elif self._is_kept(line):
                yield self._next().raw
            else:
                yield from self._paragraph()

    def _next(self) -> _Line:
        line = self._lines[self._place]
        self._place += 1
        if not line.is_blank:
            self._is_in_list = bool(re.search(r"[-+*\d]", line.prefix)) or (self._is_in_list and line.prefix[:1] == " ")
        return line

    def _front_matter(self) -> Iterator[str]:
        bare = [line.raw.strip() for line in self._lines[:200]]
        if bare[:1] == ["---"] and "---" in bare[1:]:
            for _ in range(bare.index("---", 1) + 1):
                yield self._next().raw

    def _until(self, closing: re.Pattern[str]) -> Iterator[str]:
        """Yield code or raw text up to its closing line, or up to the end of the text if no line closes it."""
        yield self._next().raw
        while self._place < len(self._lines):
            line = self._next()
            yield line.raw
            if closing.search(line.prefix.lstrip("> \t") + line.words):
                return

    def _is_kept(self, line: _Line) -> bool:
        if not has_letters(line.words) or _DEFINITION.match(line.words):
            return True
        is_after_blank = self._place == 0 or self._lines[self._place - 1].is_blank or self._was_code
        return bool(_INDENTED.match(line.raw)) and is_after_blank and not self._is_in_list

    @property
    def _was_code(self) -> bool:
        before = self._lines[self._place - 1]
        return bool(_INDENTED.match(before.raw)) and not self._is_in_list

    @property
    def _is_table(self) -> bool:
        return self._place + 1 < len(self._lines) and _is_ruler(self._lines[self._place + 1])

    def _table(self) -> Iterator[Piece]:
        while self._place < len(self._lines) and "|" in self._lines[self._place].words:
            line = self._next()
            yield line.prefix
            for cell in _CELL.finditer(line.words):
                yield from _trim(cell[0], is_cell=True)
            yield line.tail

    def _paragraph(self) -> Iterator[Piece]:
        line = self._next()
        yield line.prefix
        paragraph = Paragraph(line.words)
        while self._goes_on(line):
            end = line.tail
            line = self._next()
            paragraph.breaks[len(paragraph.text)] = end + line.prefix
            paragraph.text += f" {line.words}"
        yield paragraph
        yield line.tail

    def _goes_on(self, line: _Line) -> bool:
        """Check whether the next line continues the sentence of this line."""
        if self._place == len(self._lines) or "#" in line.prefix or line.tail.strip("\r\n"):
            return False
        after = self._lines[self._place]
        is_other = self._is_table or _closing(after) or not after.goes_on
        is_kept = not has_letters(after.words) or _DEFINITION.match(after.words)
        return not is_other and not is_kept and not line.words.endswith(_SENTENCE_ENDS)


def _closing(line: _Line) -> re.Pattern[str] | None:
    """If this line opens a block, return the pattern of the block's closing line, otherwise None."""
    if fence := _FENCE.match(line.words):
        mark = fence[1]
        return None if mark[0] == "`" and "`" in line.words[len(mark) :] else re.compile(rf"^{mark}{mark[0]}*[ \t]*$")
    if line.words.startswith("<!--"):
        return None if "-->" in line.words else re.compile("-->")
    if raw := _RAW.match(line.words):
        end = re.compile(rf"</{raw[1]}>", re.IGNORECASE)
        return None if end.search(line.words) else end
    return None


def _is_ruler(line: _Line) -> bool:
    """Check whether the line separates the header of a table from its body."""
    bare = (line.prefix.lstrip("> \t") + line.words).strip()
    return "|" in bare and "-" in bare and not bare.strip("|:- \t")


def _trim(text: str, *, is_cell: bool) -> Iterator[Piece]:
    words = text.strip(" \t")
    if not has_letters(words):
        yield text
        return
    before = text[: len(text) - len(text.lstrip(" \t"))]
    yield before
    yield Paragraph(words, is_cell=is_cell)
    yield text[len(before) + len(words) :]


def _match(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.match(text)
    return found[0] if found else ""
