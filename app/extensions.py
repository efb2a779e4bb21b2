"""Other MCP servers, as the settings name them: nothing of it is imported where none is named."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from clients.storage import Storage
from mcp_server.catalog.catalogs import Catalogs
from mcp_server.declarations.toolset import Toolset
from mcp_server.view import View
from refusal import Refusal
from settings import Settings
from tools.extensions.installing import install_extension
from tools.extensions.installing import toolset as installing
from tools.extensions.installing.provider import SourceSettings
from tools.extensions.installing.provider import provider as sources
from tools.extensions.provider import EXTENSIONS, ExtensionSettings
from tools.provider import Providers

if TYPE_CHECKING:
    from extensions.entry import Entry
    from extensions.extensions import Extensions

_ROOT: Final = Path(__file__).parent.parent


def entries_of(settings: Settings, toolsets: Sequence[Toolset]) -> Sequence[Entry]:
    """Raises:
    Refusal: The file is not valid, or there is none.
    """
    file = settings.of(ExtensionSettings).file
    if not file:
        return ()
    from extensions.entries_file import entries_in

    path = _ROOT / file
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeError):
        raise Refusal(f"The setting EXTENSIONS_FILE names {file!r}, which cannot be read.") from None
    own = [toolset.name for toolset in toolsets]
    return entries_in(text, path.name, own, os.environ if _may_start(settings) else None)


def _may_start(settings: Settings) -> bool:
    """Whether servers may be processes of this machine: where nothing is said of it, only on a laptop."""
    said = settings.of(ExtensionSettings).children
    return not settings.place.is_on_azure if said is None else said


def extensions_beside(
    entries: Sequence[Entry], settings: Settings, catalogs: Catalogs, storage: Callable[[str], Storage]
) -> Extensions | None:
    """The extensions, if there are or may be any, whose toolsets come beside those that the catalogs begin with."""
    sources = settings.of(SourceSettings)
    if not entries and not sources.are_there:
        return None
    from extensions.extensions import Extensions

    origins = sources.addresses if sources.are_there else None
    extensions = Extensions(entries, lambda: storage(EXTENSIONS), catalogs.replace, origins=origins)
    catalogs.arrival = extensions.begin
    return extensions


async def known_elsewhere(providers: Providers, view: View, name: str) -> str:
    """How somebody who may install it has a server of this name that a source knows."""
    if not (providers.has(sources) and view.opens(installing.name, install_extension.__name__)):
        return ""
    return await (await providers.get(sources)).known(name)
