"""Where other MCP servers are found, and of which addresses they may be installed by a tool."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from settings import forms, setting

if TYPE_CHECKING:
    pass


_ANY: Final = "all"


def _addresses(text: str) -> tuple[str, ...]:
    return (_ANY,) if text == _ANY else tuple(origin.rstrip("/") for origin in forms.origins(text))


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceSettings:
    """Installing other MCP servers by a tool."""

    sources: tuple[str, ...] = setting(
        "EXTENSION_SOURCES",
        forms.names,
        (),
        "Where other MCP servers are found that may be installed by a tool, separated by commas: a file or an"
        " `https://...` document with a list of `servers`, a `server.json`, or a registry of azd; or"
        " `mcp+https://registry.modelcontextprotocol.io`, the API of the official registry.",
    )
    addresses: tuple[str, ...] = setting(
        "EXTENSION_ADDRESSES",
        _addresses,
        (),
        "Origins of which other MCP servers may be installed that no source has, separated by commas, such as"
        " `https://mcp.example.com`; or `all` for every public address. Only one that is named here may be"
        " an origin that this network alone reaches; archives that sources name may lie there as well.",
    )

    trusted: tuple[str, ...] = setting(
        "EXTENSION_TRUSTED",
        forms.names,
        (),
        "Those of the sources, separated by commas, whose servers are installed by themselves when somebody learns"
        " their name, without being shown first: for a laptop on which nobody signs in.",
    )

    @property
    def are_there(self) -> bool:
        return bool(self.sources or self.addresses)
