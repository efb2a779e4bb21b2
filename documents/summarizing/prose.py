"""Extracts the prose of Markdown: paragraphs and list items, without formatting, code, tables and HTML."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import unescape
from typing import Final

from shifts import give_way

LONGEST_BLOCK: Final = 20_000

# No two repetitions in the same pattern can match the same text, so hostile text takes no longer than normal text.
_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})")
_ITEM: Final = re.compile(r"\s*+(?:[-*+]|\d{1,9}[.)])\s++(?:\[[ xX]\]\s++)?(?=\S)")
_QUOTED: Final = re.compile(r"\A(?:\s{0,3}>\s?)+")
_HEADING: Final = re.compile(r"\s{0,3}#{1,6}(?:\s|$)")
_UNDERLINE: Final = re.compile(r"\s{0,3}(?:=+|-+|(?:[*_]\s*+){3,})\s*\Z")
_REFERENCE: Final = re.compile(r"\s{0,3}\[[^\]\n]+\]:\s")
_COMMENT: Final = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_ALERT: Final = re.compile(r"\A\[!\w+\]\s*")
_INDENTED: Final = re.compile(r"(?: {4}|\t)")

_MARK_OF_CODE: Final = re.compile(r"`++")
_IMAGE: Final = re.compile(r"!\[([^\[\]]*)\](?:\([^()\n]*\)|\[[^\[\]]*\])")
_LINK: Final = re.compile(r"\[([^\[\]]*)\](?:\([^()\n]*(?:\([^()\n]*\)[^()\n]*)?\)|\[[^\[\]]*\])")
_TAG: Final = re.compile(r"</?[a-zA-Z][^<>\n]*>")
_AUTOLINK: Final = re.compile(r"<((?:https?://|mailto:)[^<>\s]+)>")
_STRONG: Final = re.compile(r"(\*\*|__|~~)(?=\S)")
_STRONG_END: Final = re.compile(r"(?<=\S)(\*\*|__|~~)")
_EMPHASIS: Final = re.compile(r"(?<![\w*\\])[*_](?=[^\s*_])|(?<=[^\s*_\\])[*_](?![\w*])")
_ESCAPED: Final = re.compile(r"\\([!-/:-@\[-`{-~])")


def blocks(markdown: str) -> Iterator[str]:
    """Yield each paragraph and list item of Markdown as plain text on one line."""
    block = _Block()
    for line in _lines_of_prose(_COMMENT.sub("", markdown)):
        if (item := _ITEM.match(line)) or not line.strip():
            yield from block.ended()
            line = line[item.end() :] if item else ""  # noqa: PLW2901 - continues with the rest of the line
        block.lines.append(line)
    yield from block.ended()


@dataclass(slots=True)
class _Block:
    lines: list[str] = field(default_factory=list)

    def ended(self) -> Iterator[str]:
        text = " ".join(" ".join(self.lines).split())[:LONGEST_BLOCK]
        self.lines = []
        give_way()
        if plain := plain_of(text):
            yield plain


def _lines_of_prose(markdown: str) -> Iterator[str]:
    """Yield the lines outside code. Lines that are not prose become empty lines."""
    fence, is_after_empty = "", True
    for line in markdown.splitlines():
        if fence:
            fence = "" if line.strip().startswith(fence) and not line.strip().strip(fence[0]) else fence
            continue
        if opened := _FENCE.match(line):
            fence, is_after_empty = opened[1], True
            yield ""
            continue
        is_code = is_after_empty and _INDENTED.match(line) is not None and not _ITEM.match(line)
        prose = "" if is_code or _is_no_prose(line) else _ALERT.sub("", _QUOTED.sub("", line))
        is_after_empty = not line.strip() or (is_code and is_after_empty)
        yield prose


def _is_no_prose(line: str) -> bool:
    bare = line.strip()
    is_row = bare.startswith("|") or (bare.count("|") > 1 and " | " in bare)
    is_html = bare.startswith("<") and not bare.startswith(("<http", "<mailto"))
    marks = (_HEADING, _UNDERLINE, _REFERENCE)
    return is_row or is_html or any(mark.match(line) for mark in marks)


def plain_of(text: str) -> str:
    """Convert inline Markdown to plain text. Inline code stays unchanged."""
    parts, last = [], 0
    for opened, closed in _code_in(text):
        parts += [_without_marks(text[last : opened.start()]), text[opened.end() : closed.start()].strip()]
        last = closed.end()
    parts.append(_without_marks(text[last:]))
    return " ".join("".join(parts).split())


def _code_in(text: str) -> Iterator[tuple[re.Match[str], re.Match[str]]]:
    """Yield the opening and closing backticks of each inline code span, in linear time."""
    marks = list(_MARK_OF_CODE.finditer(text))
    following = _next_of_length(marks)
    place = 0
    while place < len(marks):
        if (closing := following[place]) is None:
            place += 1
        else:
            yield marks[place], marks[closing]
            place = closing + 1


def _next_of_length(marks: Sequence[re.Match[str]]) -> list[int | None]:
    """For each run of backticks, return the position of the next run with the same length."""
    seen: dict[int, int] = {}
    following: list[int | None] = []
    for place in reversed(range(len(marks))):
        length = len(marks[place][0])
        following.append(seen.get(length))
        seen[length] = place
    return following[::-1]


def _without_marks(text: str) -> str:
    text = _LINK.sub(r"\1", _IMAGE.sub("", text))
    text = _TAG.sub("", _AUTOLINK.sub(r"\1", text))
    text = _STRONG_END.sub("", _STRONG.sub("", text))
    return unescape(_ESCAPED.sub(r"\1", _EMPHASIS.sub("", text)))
