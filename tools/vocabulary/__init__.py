"""The vocabulary of this server's tools: data, by which `azure` finds what people mean."""

from __future__ import annotations

from typing import Final

from mcp_server.declarations.vocabulary import Vocabulary
from tools.vocabulary.parameters import PARAMETERS
from tools.vocabulary.sayings import NOTHING, SAYINGS
from tools.vocabulary.words import ELSEWHERE, FALLBACKS, KINDS, NAMED, NAMES, SEARCHES

VOCABULARY: Final = Vocabulary(
    names=NAMES,
    kinds=KINDS,
    named=NAMED,
    sayings=SAYINGS,
    elsewhere=ELSEWHERE,
    nothing=NOTHING,
    searches=SEARCHES,
    fallbacks=FALLBACKS,
    parameters=PARAMETERS,
)
