"""Where resources are kept: in a container of the storage account of this server, or in a folder of a laptop."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mcp_server.visit import Context
from refusal import Refusal
from settings import Settings, setting
from tools.provider import Provider, Supplies

if TYPE_CHECKING:
    from tools.shelves.file_shelf import FileShelf

# No other container of the account has such a name, so that what this server keeps for itself is never on a shelf.
_CONTAINER: Final = re.compile("resources(?:-[a-z0-9]{1,40}){0,1}")


def container(text: str) -> str:
    if not _CONTAINER.fullmatch(text):
        raise ValueError("it must be resources, or resources- and up to 40 small letters and digits")
    return text


@dataclass(frozen=True, slots=True, kw_only=True)
class ShelvesSettings:
    """Resources that are read and written: where they are kept."""

    container: str = setting(
        "RESOURCES_CONTAINER",
        container,
        "",
        "The container of files, in the storage account of this server: `resources`, or `resources-<name>`. It is made"
        " when the first file is written.",
    )
    folder: str = setting("RESOURCES_FOLDER", str, "", "A folder of files in place of a container, on a laptop.")


def lacks(settings: ShelvesSettings, of_the_app: Settings) -> str:
    if settings.folder and of_the_app.place.is_on_azure:
        return "RESOURCES_FOLDER is for a laptop. An operator has to set RESOURCES_CONTAINER instead."
    if settings.container and not (of_the_app.storage.account or of_the_app.storage.connection):
        return "RESOURCES_CONTAINER needs a storage account. On a laptop, set RESOURCES_FOLDER instead."
    if settings.container or settings.folder:
        return ""
    return "No files are kept here. An operator has to set RESOURCES_CONTAINER, or on a laptop RESOURCES_FOLDER."


def check(settings: ShelvesSettings) -> None:
    if settings.container and settings.folder:
        raise Refusal("Set RESOURCES_CONTAINER or RESOURCES_FOLDER, not both: files are kept in one place.")


@asynccontextmanager
async def open_shelves(settings: ShelvesSettings, supplies: Supplies) -> AsyncIterator[FileShelf]:
    from clients.folder_files import FolderFiles
    from tools.shelves.file_shelf import FileShelf

    files = FolderFiles(Path(settings.folder)) if settings.folder else supplies.files(settings.container)
    try:
        yield FileShelf(files)
    finally:
        await files.close()


provider: Final = Provider(name="shelves", settings=ShelvesSettings, open=open_shelves, lacks=lacks, check=check)


async def files_of(context: Context) -> FileShelf:
    return await provider.of(context)
