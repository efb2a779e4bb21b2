"""The toolset of Azure updates. The tools of the toolset are imported on first use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mcp_server.declarations.toolset import Part, Toolset
from tools.azure_updates.access import UPDATES

# The name of the search tool, for modules that mention this tool.
SEARCH: Final = "search_azure_updates"


def _parts() -> Sequence[Part]:
    from tools.azure_updates.tools import part

    return (part,)


toolset: Final = Toolset(
    "azure-updates",
    "Search Azure updates: launches, previews, retirements.",
    is_public=True,
    needs=(UPDATES,),
    parts=_parts,
)
