"""The toolset that finds changes before an incident, and combines many sources in one answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mcp_server.declarations.toolset import Part, Toolset
from tools.azure.access import AZURE


def _parts() -> Sequence[Part]:
    from tools.incidents.what_changed import part

    return (part,)


toolset: Final = Toolset(
    "incidents",
    "What changed before something in Azure broke.",
    needs=(AZURE,),
    parts=_parts,
)
