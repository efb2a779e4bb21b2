"""Real places for files, empty: a folder, and a container of Azurite."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import uuid4

from clients.container_files import ContainerFiles
from clients.files import Files
from clients.folder_files import FolderFiles
from tests.fakes.azurite import connection_string_of_azurite

KINDS = ("folder", "azurite")


def files_in(kind: str, folder: Path) -> Files:
    if kind == "folder":
        return FolderFiles(folder)
    return ContainerFiles.from_connection_string(connection_string_of_azurite(), f"resources-{uuid4().hex}")


@asynccontextmanager
async def empty(kind: str, folder: Path) -> AsyncIterator[Files]:
    files = files_in(kind, folder)
    try:
        yield files
    finally:
        await files.close()
