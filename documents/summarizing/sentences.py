"""Splits text into sentences. Full stops after abbreviations do not end a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

# Matches the end of a sentence: its end mark, closing quotes or brackets, and optional whitespace.
_END: Final = re.compile(
    r"(?<![.!?…])[.!?…]++(?:\s»|[\"'”\u2019»)\]]*+)(?=\s|\Z)|[\u3002\uff01\uff1f]++[\u300d\u300f\uff09]*+"
)
# Matches the first letter of a sentence. Sentences that begin in lower case, for example with a tool name, are joined
# to the previous sentence.
_BEGINS: Final = re.compile(r"[\s\"'“\u2018«(\[¿¡`]*+(?![a-zß-ÿ])(?:[^\W_]|/|\.\w|\$)")
_FULL_WIDTH: Final = "\u3002\uff01\uff1f"
_LAST_WORD: Final = re.compile(r"(?<![^\s(\[«“\"'])[^\s(\[«“\"']++\Z")
_INITIAL: Final = re.compile(r"[^\W\d_]\.(?:-?[^\W\d_]\.)*\Z")
_NUMBERED: Final = re.compile(r"\d+\.\Z")
# Only this many characters before a full stop are searched for an abbreviation.
_LOOKED_BACK: Final = 24

# Abbreviations whose full stop does not end a sentence, even if the next word could start a sentence.
_SHORTENED: Final = frozenset(
    """
    e.g. i.e. eg. ie. cf. vs. viz. approx. ca. incl. excl. resp. esp. fig. figs. eq. sec. ch. chap. vol. no. nos. nr.
    pp. p. ed. eds. al. mr. mrs. ms. dr. prof. st. sr. jr. inc. ltd. co. corp. dept. est. min. max. jan. feb. mar. apr.
    jun. jul. aug. sept. sep. oct. nov. dec. tel. ref. v. ver. art. par.
    m. mm. mme. mlle. mgr. p.ex. ex. c.-à-d. c.à.d. n. env. tél. éd. réf. janv. févr. avr. juil. déc. av. bd. hab.
    z.b. d.h. bzw. ggf. usw. u.a. vgl. nr. bspw.
    """.split()
)
# Abbreviations that often end a sentence.
_MAY_END: Final = frozenset({"etc.", "al.", "no.", "inc.", "ltd.", "corp.", "co.", "usw."})


def sentences(text: str) -> list[str]:
    """Split a text without line breaks into sentences."""
    return [sentence for sentence in _pieces(text) if sentence]


def _pieces(text: str) -> Iterator[str]:
    start = 0
    for end in _END.finditer(text):
        if _ends(text, end):
            yield text[start : end.end()].strip()
            start = end.end()
    yield text[start:].strip()


def _ends(text: str, end: re.Match[str]) -> bool:
    following = text[end.end() : end.end() + 8]
    if not following.strip() or end[0][0] in _FULL_WIDTH:
        return True
    if not _BEGINS.match(following):
        return False
    return end[0] != "." or not _is_shortened(text, end.start() + 1)


def _is_shortened(text: str, stop: int) -> bool:
    before = text[max(0, stop - _LOOKED_BACK) : stop]
    if (word := _LAST_WORD.search(before)) is None:
        return False
    spelt = word[0].casefold()
    if spelt in _MAY_END:
        return text[stop:].lstrip()[:1].isdigit()
    if spelt in _SHORTENED or (spelt == "ex." and before.casefold().endswith("p. ex.")):
        return True
    is_first = word.start() == 0 and stop <= _LOOKED_BACK
    return _INITIAL.match(word[0]) is not None or (is_first and _NUMBERED.match(word[0]) is not None)
