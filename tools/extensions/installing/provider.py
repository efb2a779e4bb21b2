"""Where other MCP servers are found, and of which addresses they may be installed by a tool."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from refusal import Refusal
from settings import Settings, forms, setting
from tools.provider import Provider, Supplies

if TYPE_CHECKING:
    from extensions.installer import Installer

_ROOT: Final = Path(__file__).parents[3]
_NONE: Final = "Nothing can be installed here. An operator has to set EXTENSION_SOURCES or EXTENSION_ADDRESSES."
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


def lacks(settings: SourceSettings, _of_the_app: Settings) -> str:
    return "" if settings.are_there else _NONE


def check(settings: SourceSettings) -> None:
    """Raises:
    Refusal: One of the sources is no place, or one is trusted that is none.
    """
    if settings.sources:
        from extensions.registries.sources import ServerSources

        ServerSources.at(settings.sources)
    if strays := [name for name in settings.trusted if name not in settings.sources]:
        raise Refusal(f"EXTENSION_TRUSTED names {strays[0]!r}, which is none of EXTENSION_SOURCES.")


@asynccontextmanager
async def open_installer(settings: SourceSettings, supplies: Supplies) -> AsyncIterator[Installer]:
    from extensions.installer import Installer
    from extensions.registries.sources import ServerSources

    extensions = supplies.extensions()
    if extensions is None:
        raise Refusal(_NONE)
    found = ServerSources.at(settings.sources, _ROOT)
    named = zip(settings.sources, found.registries, strict=True)
    trusted = [registry.name for place, registry in named if place in settings.trusted]
    yield Installer(extensions, found, settings.addresses, trusted)


provider: Final = Provider(
    name="extension-sources", settings=SourceSettings, open=open_installer, lacks=lacks, check=check
)
