"""Extracts the part of a passage that shows why the passage matched."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from tantivy import Snippet as FoundSnippet

MARK: Final = "**"
_USUAL: Final = 240


class Snippet(NamedTuple):
    """A snippet of a passage, in which the matches are marked. `line` is the line of the first match, counted from 0 at
    the start of the passage.

    If nothing matches, the text is the start of the passage, and `line` is None.
    """

    text: str
    line: int | None


def snippet_of(passage: str, found: FoundSnippet) -> Snippet:
    fragment = found.fragment()
    ranges = [(part.start, part.end) for part in found.highlighted()]
    if not fragment or not ranges:
        return Snippet(_in_one_line(passage[:_USUAL]), None)
    # tantivy returns byte offsets, which differ from string offsets after non-ASCII characters.
    content = fragment.encode()
    before = passage.find(fragment) if fragment in passage else 0
    first = before + len(content[: ranges[0][0]].decode())
    return Snippet(_in_one_line("".join(_marked(content, ranges))), passage.count("\n", 0, first))


def _marked(content: bytes, ranges: Iterable[tuple[int, int]]) -> Iterator[str]:
    end_of_last = 0
    for start, end in ranges:
        yield f"{content[end_of_last:start].decode()}{MARK}{content[start:end].decode()}{MARK}"
        end_of_last = end
    yield content[end_of_last:].decode()


def _in_one_line(text: str) -> str:
    return " ".join(text.split())
