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
        "Comma-separated sources of MCP servers that a tool may install. A source can be the path or `https://...` URL"
        " of one of these files: a list of `servers`, a `server.json`, or an azd registry. A source can also be"
        " `mcp+https://registry.modelcontextprotocol.io`, the API of the official registry.",
    )
    addresses: tuple[str, ...] = setting(
        "EXTENSION_ADDRESSES",
        _addresses,
        (),
        "Comma-separated origins, such as `https://mcp.example.com`, from which MCP servers may be installed even if no"
        " source lists these servers. `all` allows every public address. An origin in a private network must be listed"
        " here, even if a source lists an archive at this origin.",
    )

    trusted: tuple[str, ...] = setting(
        "EXTENSION_TRUSTED",
        forms.names,
        (),
        "Trusted sources, separated by commas. If a caller uses the name of an MCP server in a trusted source, that MCP"
        " server is installed without a preview. Use this setting only if callers do not sign in.",
        set_by="laptop",
    )

    @property
    def are_there(self) -> bool:
        return bool(self.sources or self.addresses)
