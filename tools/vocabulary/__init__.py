"""The vocabulary of this server's tools. The `azure` tool uses it to find the tools that match a request."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from mcp_server.declarations.vocabulary import Vocabulary
from tools.vocabulary.fallbacks import FALLBACKS
from tools.vocabulary.parameters import PARAMETERS

LEARNED: Final = Path(__file__).with_name("learned.bin")
VOCABULARY: Final = Vocabulary(learned=LEARNED, fallbacks=FALLBACKS, parameters=PARAMETERS)
