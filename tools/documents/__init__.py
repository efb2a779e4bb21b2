"""The toolset of the team's own documents. The tools are imported on first use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mcp_server.declarations.toolset import Part, Toolset
from tools.documents.access import DOCUMENTS


def _parts() -> Sequence[Part]:
    from tools.documents import searching, summaries

    return [searching.part, summaries.part]


toolset: Final = Toolset(
    "documents",
    "Search and read the team's documents.",
    needs=(DOCUMENTS,),
    parts=_parts,
)
