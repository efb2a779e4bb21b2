"""The vocabulary of this server's tools: data, by which `azure` finds what people mean."""

from __future__ import annotations

from typing import Final

from mcp_server.declarations.vocabulary import Vocabulary
from tools.vocabulary.sayings import CODE, DELIVERY, OTHERS, WORK
from tools.vocabulary.words import ELSEWHERE, KINDS, NAMES, SEARCHES

VOCABULARY: Final = Vocabulary(
    names=NAMES, kinds=KINDS, sayings={**OTHERS, **WORK, **CODE, **DELIVERY}, elsewhere=ELSEWHERE, searches=SEARCHES
)
