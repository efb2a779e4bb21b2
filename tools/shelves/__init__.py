"""Shelves: files and records that people and agents leave for each other, by address."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mcp_server.declarations.shelf import Shelf
from mcp_server.declarations.toolset import Part, Toolset
from tools.cosmos_data.provider import provider as records
from tools.shelves import addresses, record_addresses
from tools.shelves.provider import provider


def _parts() -> Sequence[Part]:
    from tools.shelves import resources

    return [resources.part]


toolset: Final = Toolset(
    "shelves",
    "Files and records shared by people and agents.",
    needs_one_of=(provider, records),
    shelf=Shelf([addresses.TEMPLATE, record_addresses.TEMPLATE]),
    parts=_parts,
)
