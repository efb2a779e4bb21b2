"""The vocabulary of this server's tools, with which the `azure` tool finds the tools that a request means."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from mcp_server.declarations.vocabulary import Vocabulary
from tools.vocabulary.fallbacks import FALLBACKS
from tools.vocabulary.parameters import PARAMETERS

LEARNED: Final = Path(__file__).with_name("learned.bin")
VOCABULARY: Final = Vocabulary(learned=LEARNED, fallbacks=FALLBACKS, parameters=PARAMETERS)
