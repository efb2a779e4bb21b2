"""Summarizes a document by selecting sentences.

The selection needs no model, is deterministic and takes bounded time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from typing import Final

from documents.document import Document, DocumentSection
from documents.summarizing.centrality import MOST_SENTENCES, centrality
from documents.summarizing.passages import TextPosition, prose_of
from documents.summarizing.salience import manner, tells
from documents.summarizing.sentences import sentences
from documents.summarizing.stems import stems
from shifts import give_way

MOST_KEY_POINTS: Final = 12
LONGEST_KEY_POINT: Final = 300
_ALIKE: Final = 0.6
_ENDS: Final = (".", "!", "?", "…", ":", ";", ".)", "!)", "?)", '."', ".»")


@dataclass(frozen=True, slots=True)
class KeyPoint:
    text: str
    place: TextPosition


@dataclass(frozen=True, slots=True)
class Extract:
    summary: str
    key_points: tuple[KeyPoint, ...]


def extract(document: Document, most_letters: int) -> Extract:
    """Return the most informative sentences in document order, and one key point per heading.

    Together, the sentences have at most `most_letters` characters.
    """
    ranked = _ranked(document)
    return Extract(_summary(ranked, most_letters), tuple(_key_points(ranked)))


@dataclass(frozen=True, slots=True)
class _Sentence:
    text: str
    words: tuple[str, ...]
    section: DocumentSection
    # The next three fields are positions: of the sentence in its section, of the section in the document, and of the
    # sentence in the document.
    within: int
    of_section: int
    number: int = 0
    weight: float = 0.0

    @property
    def place(self) -> TextPosition:
        return TextPosition.of(self.section)


def _ranked(document: Document) -> list[_Sentence]:
    """Return the informative sentences of a document with their scores."""
    found = _spread(list(_sentences_of(document)))
    ranks = centrality([sentence.words for sentence in found])
    title = set(stems(document.title))
    last = max((sentence.of_section for sentence in found), default=0)
    return [
        _weighed(sentence, number, rank, title, last)
        for number, (sentence, rank) in enumerate(zip(found, ranks, strict=True))
    ]


def _weighed(sentence: _Sentence, number: int, rank: float, title: set[str], last: int) -> _Sentence:
    words = set(sentence.words)
    first = 1.0 / (1 + sentence.within)
    early = 1.0 - sentence.of_section / (last + 1)
    about = len(words & title) / (len(title) or 1)
    below = len(words & set(stems(sentence.section.heading))) / (len(words) or 1)
    opens = 0.4 * (number == 0)
    weight = rank + 0.5 * first + 0.2 * early + 0.2 * about + 0.2 * below + opens + manner(sentence.text, len(words))
    return _Sentence(
        sentence.text, sentence.words, sentence.section, sentence.within, sentence.of_section, number, weight
    )


def _sentences_of(document: Document) -> Iterator[_Sentence]:
    for number, (section, prose) in enumerate(prose_of(document)):
        found = [(text, tuple(stems(text))) for block in prose for text in _given_way(sentences(block))]
        telling = [(text, words) for text, words in found if tells(text, len(words))]
        for within, (text, words) in enumerate(telling):
            yield _Sentence(text, words, section, within, number)


def _given_way(texts: Sequence[str]) -> Iterator[str]:
    for text in texts:
        give_way()
        yield text


def _spread(found: Sequence[_Sentence]) -> list[_Sentence]:
    """Keep only some sentences if there are too many to compare. The first sentences of each section are preferred."""
    if len(found) <= MOST_SENTENCES:
        return list(found)
    first = sorted(found, key=lambda sentence: (sentence.within, sentence.of_section))[:MOST_SENTENCES]
    return sorted(first, key=lambda sentence: (sentence.of_section, sentence.within))


def _summary(ranked: Sequence[_Sentence], most_letters: int) -> str:
    by_weight = sorted(ranked, key=lambda sentence: (-sentence.weight, sentence.number))
    taken: list[_Sentence] = []
    left = most_letters
    for sentence in by_weight:
        if len(sentence.text) <= left and not any(_are_alike(sentence, other) for other in taken):
            taken.append(sentence)
            left -= len(sentence.text) + 1
    if not taken and by_weight:
        return cut(by_weight[0].text, most_letters)
    return _together([sentence.text for sentence in sorted(taken, key=lambda sentence: sentence.number)])


def _together(texts: Sequence[str]) -> str:
    """Join sentences with spaces. A text without a final full stop, for example a list item, gets its own line."""
    return "".join(text + (" " if text.endswith(_ENDS) else "\n") for text in texts).rstrip()


def _are_alike(one: _Sentence, other: _Sentence) -> bool:
    words, others = set(one.words), set(other.words)
    return len(words & others) >= _ALIKE * min(len(words), len(others))


def _key_points(ranked: Sequence[_Sentence]) -> list[KeyPoint]:
    """Return a key point per heading. If the document has many headings, only the most informative key points are
    returned.
    """
    points = [
        point for _, below in groupby(ranked, key=lambda sentence: sentence.of_section) for point in _point(below)
    ]
    most = sorted(points, key=lambda sentence: (-sentence.weight, sentence.number))[:MOST_KEY_POINTS]
    in_order = sorted(most, key=lambda sentence: sentence.number)
    return [KeyPoint(cut(sentence.text, LONGEST_KEY_POINT), sentence.place) for sentence in in_order]


def _point(below: Iterable[_Sentence]) -> Iterator[_Sentence]:
    """Yield the first informative sentence of a section, if any."""
    yield from islice((sentence for sentence in below if manner(sentence.text, len(sentence.words)) > 0), 1)


def cut(text: str, most_letters: int) -> str:
    """Truncate a text to at most this many characters, at a word boundary. A truncated text ends with an ellipsis."""
    if len(text) <= most_letters:
        return text
    start = text[: most_letters - 1]
    whole = start if text[most_letters - 1].isspace() else start.rpartition(" ")[0] or start
    return f"{whole.rstrip()}…"
