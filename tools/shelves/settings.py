"""The settings of files that are kept on shelves."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from settings import setting

if TYPE_CHECKING:
    pass


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
