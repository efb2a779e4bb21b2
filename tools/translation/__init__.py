"""The toolset of translation. Its tools are imported on first use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mcp_server.declarations.toolset import Part, Toolset
from tools.translation.access import TRANSLATION


def _parts() -> Sequence[Part]:
    from tools.translation import translate

    return (translate.part,)


toolset: Final = Toolset(
    "translation",
    "Translate with the team's glossaries.",
    needs=(TRANSLATION,),
    parts=_parts,
)
