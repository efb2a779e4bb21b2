"""Splits text into the terms of search indexes and queries."""

from __future__ import annotations

import re
import unicodedata

from tantivy import Filter, TextAnalyzer, TextAnalyzerBuilder, Tokenizer

STEMS = "stems"  # the name of the stemming analyzer in an index
_LONGEST_WORD_BYTES = 60  # longer words are pasted data, and are not indexed

# Stop words are indexed, because they can be part of phrases, but a stop word alone is not searched.
_STOP_WORDS = frozenset(
    """
    a about above after again against all also am an and any are as at be because been before being below between both
    but by can could did do does doing don down during each few find for from further get give had has have having he
    her here hers herself him himself his how i if in into is it its itself just know let list may me might more most
    must my myself need no nor not now of off on once only or other our ours ourselves out over own please s same shall
    she should show so some such t tell than that the their theirs them themselves then there these they this those
    through to too under until up us very want was we were what when where which while who whom why will with would
    you your yours yourself yourselves
    """.split()
)
_CAPITALISED_RUN = re.compile(r"\b[A-Z][A-Za-z]*+(?: [A-Z][A-Za-z]*+){2,}+")
_LONGEST_ACRONYM = 5


def analyzer(*, stemmed: bool) -> TextAnalyzer:
    """Build an analyzer that splits at non-alphanumeric characters, ignores case and accents, and optionally stems
    English.
    """
    builder = (
        TextAnalyzerBuilder(Tokenizer.simple())
        .filter(Filter.remove_long(_LONGEST_WORD_BYTES))
        .filter(Filter.lowercase())
        .filter(Filter.ascii_fold())
    )
    return (builder.filter(Filter.stemmer("english")) if stemmed else builder).build()


_stemming, _spelling = analyzer(stemmed=True), analyzer(stemmed=False)


def clean(text: str) -> str:
    """Normalize Unicode text, so that different encodings of a character become equal. Lone surrogates are removed,
    because tantivy forbids them.
    """
    if text.isascii():
        return text
    text = text.replace("…", "...")  # has the same effect as Unicode normalization, and is faster
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", text).encode(errors="replace").decode()


def stems(text: str) -> list[str]:
    return _stemming.analyze(clean(text))


def spellings(text: str) -> list[str]:
    return _spelling.analyze(clean(text))


_STOP_STEMS = frozenset(stems(" ".join(_STOP_WORDS)))


def may_help(stem: str) -> bool:
    return stem not in _STOP_STEMS


def acronyms(text: str) -> set[str]:
    """Return the acronyms in a text. Three or more capitalized words in a row form an acronym of their initials."""
    return {
        "".join(word[0] for word in words[start:end])
        for run in _CAPITALISED_RUN.findall(text)
        for words in [run.split()]
        for start in range(len(words) - 2)
        for end in range(start + 3, min(len(words), start + _LONGEST_ACRONYM) + 1)
    }
