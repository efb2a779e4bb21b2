"""Provides shared resources, stored in the server's storage account or, on a laptop, in a folder."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from refusal import Refusal
from settings import Settings
from tools.provider import Provider, Supplies
from tools.shelves.access import FILES
from tools.shelves.settings import ShelvesSettings

if TYPE_CHECKING:
    from tools.shelves.file_shelf import FileShelf


def lacks(settings: ShelvesSettings, of_the_app: Settings) -> str:
    if settings.folder and of_the_app.place.is_on_azure:
        return "RESOURCES_FOLDER works only on a laptop. Ask an operator to set RESOURCES_CONTAINER instead."
    if settings.container and not (of_the_app.storage.account or of_the_app.storage.connection):
        return "RESOURCES_CONTAINER requires a storage account. On a laptop, set RESOURCES_FOLDER instead."
    if settings.container or settings.folder:
        return ""
    return (
        "File resources are not configured. Ask an operator to set RESOURCES_CONTAINER, or on a laptop"
        " RESOURCES_FOLDER."
    )


def check(settings: ShelvesSettings) -> None:
    if settings.container and settings.folder:
        raise Refusal("Set either RESOURCES_CONTAINER or RESOURCES_FOLDER, not both.")


@asynccontextmanager
async def open_shelves(settings: ShelvesSettings, supplies: Supplies) -> AsyncIterator[FileShelf]:
    from clients.folder_files import FolderFiles
    from tools.shelves.file_shelf import FileShelf

    files = FolderFiles(Path(settings.folder)) if settings.folder else supplies.files(settings.container)
    try:
        yield FileShelf(files)
    finally:
        await files.close()


provider: Final = Provider(key=FILES, settings=ShelvesSettings, open=open_shelves, lacks=lacks, check=check)
