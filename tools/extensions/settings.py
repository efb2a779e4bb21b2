"""The settings of other MCP servers behind this one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from clients.addresses import checked_base_url
from settings import forms, setting

if TYPE_CHECKING:
    pass


# The table and the container of what is pinned.
PURPOSE: Final = "extensions"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtensionSettings:
    """Other MCP servers, whose tools are offered here."""

    file: str = setting(
        "EXTENSIONS_FILE",
        str,
        "",
        "The file that says which other MCP servers are offered here, such as `extensions.yaml`. Without it none is.",
    )
    vault: str = setting(
        "EXTENSIONS_VAULT",
        str,
        "",
        "The address of the Key Vault whose secrets extensions sign in with: those that are named `extension-...` and"
        " that the file of extensions names. The template sets it to the vault of the server.",
    )
    children: bool | None = setting(
        "EXTENSIONS_CHILDREN",
        forms.truth,
        None,
        "Whether other MCP servers may be processes beside this one, started by commands of that file: for a container."
        " Without it, they may on a laptop and not on Azure.",
    )
    folder: str = setting(
        "EXTENSIONS_FOLDER",
        str,
        ".local/extensions",
        "The folder below which servers in packages are installed, each into one of its own; a relative path begins at"
        " the app's folder.",
    )
    npm: str = setting(
        "EXTENSIONS_NPM",
        checked_base_url,
        "https://registry.npmjs.org",
        "The one registry of npm that packages come from, such as a mirror of your own.",
    )
    pypi: str = setting(
        "EXTENSIONS_PYPI",
        checked_base_url,
        "https://pypi.org/simple",
        "The one index of Python packages that packages come from, such as a mirror of your own.",
    )
