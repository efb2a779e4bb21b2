"""The toolset of firewall rules. Its tools are imported on first use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mcp_server.declarations.toolset import Part, Toolset

# Other modules mention the tool by this name.
NEW_RULES: Final = "new_azure_firewall_rules"


def _parts() -> Sequence[Part]:
    from tools.firewall.tools import part

    return (part,)


toolset: Final = Toolset(
    "firewall",
    "Azure Firewall rules as reviewable YAML.",
    is_public=True,
    parts=_parts,
)
