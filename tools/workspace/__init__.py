"""The toolset of git workspaces: work in repositories without a disk, from clone to push."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mcp_server.declarations.toolset import Part, Toolset
from tools.workspace.access import WORKSPACES


def _parts() -> Sequence[Part]:
    from tools.workspace import history, reading, transfers, writing

    return [transfers.part, reading.part, writing.part, history.part]


toolset: Final = Toolset(
    "workspace",
    "Git workspaces of your own.",
    needs=(WORKSPACES,),
    parts=_parts,
)
