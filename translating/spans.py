"""Finds text that must not be translated: code, placeholders, tags, URLs, Markdown syntax and glossary words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final

# No two parts of this pattern backtrack over the same characters, so a hostile text cannot slow it down.
_PROTECTED: Final = re.compile(
    r"""
      (?<!`)(`{1,5})(?!`)[^\n]{1,1000}?(?<!`)\1(?!`)           # code
    | <!--[^<>]{0,1000}-->|</?[A-Za-z!][^<>]{0,1000}>            # tags, and addresses in angle brackets
    | \{\{[^{}]{0,200}\}\}|\$?\{[^{}]{0,200}\}                   # {{x}} ${X} {name}
    | %\([\w.]{1,100}\)[a-z]|%%                                  # %(name)s
    | %(?:\d{1,2}\$)?[-+0\#]?\d{0,3}(?:\.\d{1,3})?(?:ll|l|h)?[sdifuxXgGeEcrp@](?![A-Za-z])
    | %[A-Za-z_]\w{0,60}%|\$[A-Za-z_]\w{0,60}                    # %PATH% $HOME
    | !?\[\^?[\w-]{0,60}\](?=\[)|\[\^[\w-]{1,60}\]               # notes
    | \]\((?:[^()\n]|\([^()\n]{0,500}\)){0,1000}\)               # where a link leads
    | \]\[[^\[\]\n]{0,200}\]
    | !?\[|\]
    | (?:https?|ftp|file|wss?)://[^\s<>"`|*]{0,1990}[^\s<>"`|*.,;:!?)\]'_]|mailto:[^\s<>"`|)]{1,300}
    | (?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){0,8}
    | (?<![\w.@/-])www\.[\w./?=&%-]{1,300}[\w/]
    | &(?:\#\d{1,7}|\#x[\da-fA-F]{1,6}|[A-Za-z]{2,31});
    | \\[!-/:-@\[-`{-~]                                          # escaped
    | \*{1,3}|~~|(?<!\w)_{1,3}(?=\S)|(?<=\S)_{1,3}(?!\w)         # emphasis
    """,
    re.VERBOSE,
)
_LETTER: Final = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, slots=True)
class KeptSpan:
    """A protected span. After the translation, the span is replaced with `kept`, which is the original text or the
    translation of a glossary term.
    """

    start: int
    end: int
    kept: str


def has_letters(text: str) -> bool:
    return bool(_LETTER.search(text))


def protected(text: str, terms: Terms | None = None) -> list[KeptSpan]:
    """Return the protected spans of a text, in order. Spans do not overlap, and any two spans have
    words between them.
    """
    found = [KeptSpan(one.start(), one.end(), one[0]) for one in _PROTECTED.finditer(text)]
    return list(_merge_adjacent(text, sorted([*found, *_free(terms.found(text) if terms else (), found)], key=_place)))


def _place(span: KeptSpan) -> int:
    return span.start


def _free(terms: Iterator[KeptSpan] | tuple[()], spans: list[KeptSpan]) -> Iterator[KeptSpan]:
    """Yield the glossary terms that do not overlap any other protected span. The terms and the spans are sorted."""
    place = 0
    for one in terms:
        while place < len(spans) and spans[place].end <= one.start:
            place += 1
        if place == len(spans) or one.end <= spans[place].start:
            yield one


def _merge_adjacent(text: str, spans: list[KeptSpan]) -> Iterator[KeptSpan]:
    """Merge protected spans that have no words between them."""
    group: list[KeptSpan] = []
    for one in spans:
        if group and has_letters(text[group[-1].end : one.start]):
            yield _merge(text, group)
            group = []
        group.append(one)
    if group:
        yield _merge(text, group)


def _merge(text: str, group: list[KeptSpan]) -> KeptSpan:
    parts = [text[before.end : one.start] + one.kept for before, one in pairwise(group)]
    return KeptSpan(group[0].start, group[-1].end, group[0].kept + "".join(parts))


@dataclass(frozen=True)
class Terms:
    """Glossary terms for a pair of languages: words that stay unchanged, and fixed translations."""

    by_term: dict[str, str]

    def found(self, text: str) -> Iterator[KeptSpan]:
        """Yield the terms that occur in a text. If several terms match at a position, yield the longest. A lowercase
        term also matches in upper case.
        """
        if self.by_term:
            for one in self._pattern.finditer(text):
                if (translation := self._translation_of(one[0])) is not None:
                    yield KeptSpan(one.start(), one.end(), translation)

    def _translation_of(self, found: str) -> str | None:
        if found in self.by_term:
            return self.by_term[found]
        translation = self.by_term.get(found.lower())
        return translation[:1].upper() + translation[1:] if translation and found[:1].isupper() else translation

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        words = "|".join(re.escape(term) for term in sorted(self.by_term, key=len, reverse=True))
        return re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE)
