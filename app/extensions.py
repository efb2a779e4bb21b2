"""Other MCP servers, as the settings name them: nothing of it is imported where none is named."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from clients.storage import Storage
from mcp_server.catalog.catalogs import Catalogs
from mcp_server.declarations.toolset import Toolset
from refusal import Refusal
from settings import Settings
from tools.extensions.provider import EXTENSIONS, ExtensionSettings

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
    entries: Sequence[Entry], catalogs: Catalogs, storage: Callable[[str], Storage]
) -> Extensions | None:
    """The extensions, if there are any, whose toolsets come beside those that the catalogs begin with."""
    if not entries:
        return None
    from extensions.extensions import Extensions

    extensions = Extensions(entries, lambda: storage(EXTENSIONS), catalogs.replace)
    catalogs.arrival = extensions.begin
    return extensions
