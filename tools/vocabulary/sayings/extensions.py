"""How people ask about other servers behind this one."""

from __future__ import annotations

from typing import Final

SAYINGS: Final = {
    "list_extensions": (
        "which extensions are there, which other mcp servers are behind this one, is the extension away, what was "
        "held back of an extension, list installed extensions"
    ),
    "update_extension": (
        "update the extension, let in the changed tools of an extension, accept what the other mcp server offers now, "
        "take the new version of an extension"
    ),
    "sign_out_extension": (
        "sign me out of an extension, log out at the other mcp server, forget my login there, end my access to that "
        "server"
    ),
    "search_extensions": (
        "find an mcp server for something, which mcp servers could be installed, search the mcp registry, look for an "
        "extension to install"
    ),
    "install_extension": (
        "install an mcp server, add another mcp server by its address, install the extension from the registry"
    ),
    "remove_extension": "uninstall an extension, uninstall the mcp server, remove the extension",
}
