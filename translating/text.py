"""Splits a whole text into segments, and joins their translations."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from translating.markdown_pieces import Paragraph, Piece, pieces_of
from translating.segments import Segment
from translating.spans import KeptSpan, Terms, protected

# The maximum length of a segment. Longer text is split between sentences if possible, then at whitespace, then
# anywhere.
LONGEST_SEGMENT: Final = 5000
_SENTENCE: Final = re.compile(r"(?<=[.!?…])[ \t]+|(?<=[。\uff01\uff1f])")
_NUMBER: Final = re.compile(r"^(\d{1,9})([.)])")
_BLANK: Final = re.compile(r"[ \t]+")
_BAR: Final = re.compile(r"(?<!\\)\|")
# Matches text that, at the beginning of a line, would start a new Markdown block.
_BEGINS: Final = re.compile(
    r"#{1,6}(?:[ \t]|$)|>|[-+*](?:[ \t]|$)|(?:=+|-+)[ \t]*$|\d{1,9}[.)](?:[ \t]|$)|```|~~~|:::|[|<]|\[[^\[\]]{1,200}\]:"
)


@dataclass(frozen=True, slots=True)
class TranslatableText:
    """A text to translate: paragraphs, and pieces that stay unchanged. Each paragraph consists of one or more
    segments.
    """

    pieces: Sequence[Piece]
    segments: Sequence[Segment]
    # The number of segments in each paragraph.
    counts: Sequence[int]

    @classmethod
    def of(cls, text: str, terms: Terms | None = None) -> TranslatableText:
        pieces = [_restore_breaks(one) if isinstance(one, Paragraph) else one for one in pieces_of(text)]
        of_each = [
            [Segment.of(part, terms) for part in _parts(one.text)] for one in pieces if isinstance(one, Paragraph)
        ]
        return cls(pieces, [one for many in of_each for one in many], [len(many) for many in of_each])

    @property
    def asked(self) -> list[int]:
        """The positions of the segments to translate."""
        return [place for place, segment in enumerate(self.segments) if segment.asks]

    def with_segments(self, translated: Mapping[int, str]) -> str:
        """Return the text with these translations. Segments without a translation stay unchanged."""
        whole = (translated.get(place, segment.text) for place, segment in enumerate(self.segments))
        counts = iter(self.counts)
        return "".join(
            piece if isinstance(piece, str) else _distribute(piece, "".join(islice(whole, next(counts))))
            for piece in self.pieces
        )


def _restore_breaks(paragraph: Paragraph) -> Paragraph:
    """Restore the line breaks inside code and tags, because the translation must not move these line breaks."""
    spans = protected(paragraph.text) if paragraph.breaks else []
    starts = [span.start for span in spans]
    text, floating, position = "", dict[int, str](), 0
    for place, end in paragraph.breaks.items():
        text += paragraph.text[position:place]
        is_floating = _is_free(place, starts, spans)
        if is_floating:
            floating[len(text)] = end
        text, position = text + (" " if is_floating else end), place + 1
    return Paragraph(text + paragraph.text[position:], floating, paragraph.is_cell)


def _parts(text: str) -> Iterator[str]:
    """Split a long text between sentences or, if that is impossible, at whitespace, but never inside
    a protected span.
    """
    spans = protected(text) if len(text) > LONGEST_SEGMENT else []
    starts = [span.start for span in spans]
    cuts = [
        [one.end() for one in pattern.finditer(text) if _is_free(one.end(), starts, spans)]
        for pattern in ((_SENTENCE, _BLANK) if len(text) > LONGEST_SEGMENT else ())
    ]
    start = 0
    while len(text) - start > LONGEST_SEGMENT:
        cut = next(filter(None, (_last(places, start, start + LONGEST_SEGMENT) for places in cuts)), 0)
        cut = cut or _outside(start + LONGEST_SEGMENT, starts, spans)
        yield text[start:cut]
        start = cut
    yield text[start:]


def _last(places: Sequence[int], after: int, most: int) -> int:
    place = bisect_right(places, most) - 1
    return places[place] if place >= 0 and places[place] > after else 0


def _outside(place: int, starts: Sequence[int], spans: Sequence[KeptSpan]) -> int:
    return place if _is_free(place, starts, spans) else spans[bisect_left(starts, place) - 1].end


def _is_free(place: int, starts: Sequence[int], spans: Sequence[KeptSpan]) -> bool:
    """Check whether the text can be split at this position: the position must not be inside a protected span."""
    before = bisect_left(starts, place) - 1
    return before < 0 or spans[before].end <= place


def _distribute(paragraph: Paragraph, text: str) -> str:
    """If a translation has enough whitespace, split it into as many lines as the original has. Escape vertical bars
    in table cells.
    """
    if paragraph.is_cell:
        before, code, behind = text.rpartition("`")
        return before + code + _BAR.sub(r"\\|", behind)
    is_new = text != paragraph.text
    text = _escape_beginning(text, paragraph.text)
    gaps = _gaps(text) if is_new and paragraph.breaks else []
    position, lines = 0, list[str]()
    for place, end in paragraph.breaks.items():
        gap = _nearest(gaps, round(place * len(text) / len(paragraph.text)), position) if is_new else place
        if gap:
            lines += [text[position:gap], end]
            position = gap + 1
    return "".join(lines) + text[position:]


def _escape_beginning(text: str, before: str) -> str:
    """Escape a translation that would start a Markdown block, unless the original also started one."""
    if _BEGINS.match(before) or not _BEGINS.match(text):
        return text
    return _NUMBER.sub(r"\1\\\2", text) if text[0].isdigit() else f"\\{text}"


def _gaps(text: str) -> list[int]:
    spans = protected(text)
    starts = [span.start for span in spans]
    return [
        one.start()
        for one in _BLANK.finditer(text)
        if _is_free(one.start(), starts, spans) and not _BEGINS.match(text, one.end())
    ]


def _nearest(gaps: Sequence[int], position: int, after: int) -> int:
    place = bisect_left(gaps, position)
    near = [gap for gap in gaps[max(place - 1, 0) : place + 1] if gap > after]
    return min(near, key=lambda gap: abs(gap - position), default=0)
