"""Splits a sentence with several requests into clauses, one for each request, in order."""

from __future__ import annotations

import re
from typing import Final

from understanding.features import words_of

_BETWEEN: Final = re.compile(
    r"(?<=\w)[;,:.!?]++(?: (?:and|then|und|dann|et|puis|y|e|luego|depois)\b)*(?: |$)"
    r"| - | (?:and then|and|then|afterwards|und dann|und|dann|et puis|et|puis|y luego|y|e depois|depois|luego) ",
    re.IGNORECASE,
)
# The minimum number of words in a clause. Shorter clauses have no meaning on their own.
_FEWEST: Final = 2


def parts_of(sentence: str) -> list[str]:
    return [part for part in map(str.strip, _BETWEEN.split(sentence)) if len(words_of(part)) >= _FEWEST]
