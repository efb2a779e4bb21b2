"""The settings of extensions: other MCP servers behind this one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from clients.addresses import checked_base_url
from settings import forms, setting

# The table and the container of pins.
PURPOSE: Final = "extensions"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtensionSettings:
    """Other MCP servers, whose tools are offered here."""

    file: str = setting(
        "EXTENSIONS_FILE",
        str,
        "",
        "The file that lists the other MCP servers to offer, such as `extensions.yaml`. Without this file, no other"
        " MCP servers are offered.",
    )
    vault: str = setting(
        "EXTENSIONS_VAULT",
        str,
        "",
        "The URL of the Key Vault that contains the secrets for signing in to extensions. The extensions file lists the"
        " names of these secrets, which start with `extension-`. The deployment template sets this to the server's"
        " vault.",
    )
    children: bool | None = setting(
        "EXTENSIONS_CHILDREN",
        forms.truth,
        None,
        "Whether commands in the extensions file may start other MCP servers as local processes. By default, they"
        " may on a laptop, but not on Azure. Set this to true only in a container.",
    )
    folder: str = setting(
        "EXTENSIONS_FOLDER",
        str,
        ".local/extensions",
        "The folder in which packaged servers are installed, each in its own subfolder. Relative paths start at the"
        " app's folder.",
    )
    npm: str = setting(
        "EXTENSIONS_NPM",
        checked_base_url,
        "https://registry.npmjs.org",
        "The only npm registry to install packages from, for example your mirror.",
    )
    pypi: str = setting(
        "EXTENSIONS_PYPI",
        checked_base_url,
        "https://pypi.org/simple",
        "The only Python package index to install from, for example your mirror.",
    )
