"""The toolset of records in Cosmos DB. The tools of the toolset are imported on first use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mcp_server.declarations.toolset import Part, Toolset
from tools.cosmos_data.key import RECORDS

TOOLSET: Final = "cosmos-data"


def _parts() -> Sequence[Part]:
    from tools.cosmos_data import reading, writing

    return (reading.part, writing.part)


toolset: Final = Toolset(
    TOOLSET,
    "Your tenant's records in Cosmos DB.",
    needs=(RECORDS,),
    parts=_parts,
    by_name_only=("cosmos_db_select",),
)
