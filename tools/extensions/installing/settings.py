"""The settings for installing extensions: the sources of extensions, and the allowed origins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from settings import forms, setting

_ANY: Final = "all"


def _addresses(text: str) -> tuple[str, ...]:
    return (_ANY,) if text == _ANY else tuple(origin.rstrip("/") for origin in forms.origins(text))


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceSettings:
    """Installing other MCP servers with a tool."""

    sources: tuple[str, ...] = setting(
        "EXTENSION_SOURCES",
        forms.names,
        (),
        "Comma-separated sources of MCP servers that a tool may install. A source is the path or `https://...` URL of a"
        " [JSON file](extension-sources.md#set-up-sources) that lists servers, or the official MCP registry:"
        " `mcp+https://registry.modelcontextprotocol.io`.",
    )
    addresses: tuple[str, ...] = setting(
        "EXTENSION_ADDRESSES",
        _addresses,
        (),
        "Comma-separated origins, such as `https://mcp.example.com`, from which MCP servers may be installed even if no"
        " source lists these servers. `all` allows every public address. Origins in a private network must always be"
        " listed here.",
    )

    trusted: tuple[str, ...] = setting(
        "EXTENSION_TRUSTED",
        forms.names,
        (),
        "Comma-separated sources from `EXTENSION_SOURCES` whose MCP servers are installed without a preview, when a"
        " caller passes the name of the server as `tool` to the tool `azure`. Not possible with sign-in.",
        set_by="laptop",
    )

    @property
    def are_there(self) -> bool:
        return bool(self.sources or self.addresses)
