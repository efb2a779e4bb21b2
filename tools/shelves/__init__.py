"""The toolset of shared resources: files and records that people and agents share, identified by URI."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mcp_server.declarations.shelf import Shelf, Template
from mcp_server.declarations.toolset import Part, Toolset
from tools.cosmos_data import TOOLSET
from tools.cosmos_data.key import RECORDS
from tools.shelves.access import FILES

_FILE: Final = Template("file:///{+path}", "File", "A file that people or agents stored here.", needs=FILES)
_RECORD: Final = Template(
    "cosmos://{container}/{+record}", "Record", "A record of your tenant.", needs=RECORDS, opened_by=TOOLSET
)


def _parts() -> Sequence[Part]:
    from tools.shelves import resources

    return [resources.part]


toolset: Final = Toolset(
    "shelves",
    "Files and records shared by people and agents.",
    needs_one_of=(FILES, RECORDS),
    shelf=Shelf([_FILE, _RECORD]),
    parts=_parts,
)
