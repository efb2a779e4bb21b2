"""Provides extensions, and the file that lists them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

from refusal import Refusal
from settings import Settings
from tools.extensions.access import EXTENSIONS
from tools.extensions.installing.settings import SourceSettings
from tools.extensions.settings import PURPOSE, ExtensionSettings
from tools.provider import Provider, Supplies

if TYPE_CHECKING:
    from extensions.extensions import Extensions

_NONE: Final = "Extensions are not configured. Ask an operator to set EXTENSIONS_FILE or EXTENSION_SOURCES."


def lacks(settings: ExtensionSettings, of_the_app: Settings) -> str:
    return "" if settings.file or of_the_app.of(SourceSettings).are_there else _NONE


@asynccontextmanager
async def open_extensions(_settings: ExtensionSettings, supplies: Supplies) -> AsyncIterator[Extensions]:
    """Yield the app's extensions. The app itself opens and closes extensions, because its catalog contains the toolsets
    of extensions.
    """
    extensions = supplies.extensions()
    if extensions is None:
        raise Refusal(_NONE)
    yield extensions


async def health(extensions: Extensions) -> Mapping[str, object]:
    return extensions.states()


provider: Final = Provider(
    key=EXTENSIONS,
    settings=ExtensionSettings,
    open=open_extensions,
    lacks=lacks,
    health=health,
    keeps=(PURPOSE,),
)
