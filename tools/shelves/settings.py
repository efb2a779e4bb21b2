"""The settings of shared files."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from settings import setting

# Only containers with these names can be shared, so the server's own data is never shared.
_CONTAINER: Final = re.compile("resources(?:-[a-z0-9]{1,40}){0,1}")


def container(text: str) -> str:
    if not _CONTAINER.fullmatch(text):
        raise ValueError("it must be resources or resources-<1 to 40 lowercase letters or digits>")
    return text


@dataclass(frozen=True, slots=True, kw_only=True)
class ShelvesSettings:
    """The storage of shared files, which callers read and write as MCP resources."""

    container: str = setting(
        "RESOURCES_CONTAINER",
        container,
        "",
        "The container for files in this server's storage account: `resources` or `resources-<name>`.",
    )
    folder: str = setting("RESOURCES_FOLDER", str, "", "A folder for files instead of a container.", set_by="laptop")
