"""Every tool this server offers, by toolset."""

from __future__ import annotations

from typing import Final

from tools import firewall

TOOLSETS: Final = (firewall.toolset,)

# The tools that carry a whole piece of work: listed to callers who chose no toolsets. All others are behind `azure`.
SURFACE: Final = frozenset({firewall.new_azure_firewall_rules.__name__})

INSTRUCTIONS: Final = (
    "Tools for an engineering team on Azure. Tools listed here are called directly; every other one is found, learned"
    " and called through `azure`. Nothing is changed anywhere unless a tool's annotations say so."
)
