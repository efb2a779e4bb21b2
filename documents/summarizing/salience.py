"""Scores how informative a sentence is, based on its wording alone."""

from __future__ import annotations

import re
from typing import Final

_SHORTEST: Final = 25
_LONGEST: Final = 500
_FEWEST_WORDS: Final = 3

# Words that express obligations, prohibitions and warnings. Sentences with these words are often important.
_WEIGHTY: Final = re.compile(
    r"\b(?:must|never|always|only|required?|decided|because|therefore|so that|instead|important|warning|caused?|"
    r"deadline|default|by default|at most|at least|cannot|doit|doivent|jamais|toujours|seule?s?|obligatoire|"
    r"interdit|parce que|afin|important|attention|cause|décidé|par défaut|au plus|au moins|il faut)\b",
    re.IGNORECASE,
)
# Matches the beginning of a sentence that depends on the previous sentence or introduces other text.
_LEANING: Final = re.compile(
    r"(?:this|that|these|those|it|they|he|she|such|however|but|and|also|then|otherwise|for example|for instance|"
    r"for more|see|note that|in addition|additionally|similarly|below|above|"
    r"cela|ceci|ce|cet|cette|ces|il|elle|ils|elles|mais|et|de plus|ensuite|sinon|par exemple|voir|pour plus)\b",
    re.IGNORECASE,
)
_ASIDE: Final = re.compile(
    r"\b(?:for example|e\.g\.|for instance|as follows|following (?:table|example|command|list)s?|table of contents|"
    r"click|last updated|copyright|all rights reserved|welcome|thank|feel free|par exemple|ci-dessous|cliquez|"
    r"mise à jour|bienvenue|merci)\b",
    re.IGNORECASE,
)
# Matches the beginning of a sentence that describes the page instead of the page's subject.
_OF_THE_PAGE: Final = re.compile(
    r"(?:(?:in )?th(?:is|e following) (?:page|document|guide|article|section|chapter|tutorial|readme|note)|"
    r"(?:author|status|date|owner|version|reviewed|updated|contact|tags?)s?\b[^.]{0,20}:|"
    r"(?:ce|cette|dans ce|dans cette) (?:page|document|guide|article|section|note|chapitre)|(?:auteur|statut|état) ?:)",
    re.IGNORECASE,
)
_WORDS_OF_A_FULL_SENTENCE: Final = 12


def tells(sentence: str, words: int) -> bool:
    """Check whether the text is a complete statement, not a label or the introduction of a list."""
    is_fit = _SHORTEST <= len(sentence) <= _LONGEST and words >= _FEWEST_WORDS
    letters = sum(map(str.isalpha, sentence))
    return is_fit and letters * 5 >= len(sentence) * 3 and sentence[-1] not in ":\uff1a;,"


def manner(sentence: str, words: int) -> float:
    """Score the wording of a sentence. Warnings, numbers and a greater length raise the score; asides and questions
    lower it.
    """
    weighty = 0.25 * _has(_WEIGHTY, sentence) + 0.1 * any(map(str.isdigit, sentence))
    full = 0.3 * min(words, _WORDS_OF_A_FULL_SENTENCE) / _WORDS_OF_A_FULL_SENTENCE
    beside = 0.3 * _has(_ASIDE, sentence) + 0.6 * is_of_the_page(sentence) + 0.3 * sentence.endswith(("?", "!"))
    return weighty + full - beside - 0.2 * (_LEANING.match(sentence) is not None)


def is_of_the_page(sentence: str) -> bool:
    return _OF_THE_PAGE.match(sentence) is not None


def _has(what: re.Pattern[str], sentence: str) -> bool:
    return what.search(sentence) is not None
