"""Gives tools access to the files on shelves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcp_server.visit import Context
from tools.key import Key

if TYPE_CHECKING:
    from tools.shelves.file_shelf import FileShelf

FILES: Final[Key[FileShelf]] = Key("shelves")


async def files_of(context: Context) -> FileShelf:
    return await FILES.of(context)
