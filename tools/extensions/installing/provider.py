"""Provides the installer of extensions, with the sources that it searches and the origins from which it may install
extensions.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from refusal import Refusal
from settings import Settings
from tools.extensions.installing.access import INSTALLER
from tools.extensions.installing.settings import SourceSettings
from tools.provider import Provider, Supplies

if TYPE_CHECKING:
    from extensions.installer import Installer

_ROOT: Final = Path(__file__).parents[3]
_NONE: Final = (
    "Installing extensions is not configured. Ask an operator to set EXTENSION_SOURCES or EXTENSION_ADDRESSES."
)


def lacks(settings: SourceSettings, _of_the_app: Settings) -> str:
    return "" if settings.are_there else _NONE


def check(settings: SourceSettings) -> None:
    """Validate the settings.

    Raises:
        Refusal: A source is invalid, or a trusted source is not in the list of sources.
    """
    if settings.sources:
        from extensions.registries.sources import ServerSources

        ServerSources.at(settings.sources)
    if strays := [name for name in settings.trusted if name not in settings.sources]:
        raise Refusal(f"EXTENSION_TRUSTED contains {strays[0]!r}, which is not in EXTENSION_SOURCES.")


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


provider: Final = Provider(key=INSTALLER, settings=SourceSettings, open=open_installer, lacks=lacks, check=check)
