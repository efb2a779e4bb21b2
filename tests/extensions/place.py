"""An app with extensions: the whole of it, as the settings of a laptop have it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from textwrap import indent

from app.build import App, build
from mcp_server.declarations.toolset import Toolset
from settings import PlaceSettings, ServerSettings, Settings, StorageSettings, UpstreamSettings
from tests.fakes.extensions.peer import Peer
from tests.mcp_server import office
from tests.mcp_server.caller import Caller, Era
from tools.extensions import toolset as ours
from tools.extensions.installing import toolset as catalog
from tools.extensions.installing.provider import provider as sources_provider
from tools.extensions.installing.settings import SourceSettings
from tools.extensions.provider import provider
from tools.extensions.settings import ExtensionSettings

NO_SOURCES = SourceSettings()
LAPTOP = PlaceSettings(environment="Development")


def entry_of(peer: Peer, more: str = "", name: str = "stage") -> str:
    lines = f"description: Props of a stage.\nurl: {peer.url}\nprivate: true\n{more}\n"
    return f"  {name}:\n{indent(lines, '    ')}"


def child_of(words: Sequence[str], more: str = "", name: str = "stage") -> str:
    lines = f"description: Props of a stage.\ncommand: {json.dumps(words)}\n{more}\n"
    return f"  {name}:\n{indent(lines, '    ')}"


def app_at(
    folder: Path,
    entries: str,
    toolsets: Sequence[Toolset] = (*office.TOOLSETS, ours, catalog),
    sources: SourceSettings = NO_SOURCES,
    upstream: UpstreamSettings | None = None,
    vault: str = "",
    more: str = "",
    npm: str = "https://registry.npmjs.org",
    **server: object,
) -> App:
    file = folder / "extensions.yaml"
    file.write_text(f"extensions:\n{entries}" if entries else more, encoding="utf-8")
    named, kept = str(file) if entries or more else "", str(folder / "packages")
    own = ExtensionSettings(file=named, folder=kept, vault=vault, npm=npm)
    settings = Settings(
        place=LAPTOP,
        storage=StorageSettings(folder=str(folder / "kept")),
        of_providers=(own, sources),
        upstream=upstream or UpstreamSettings(),
        server=ServerSettings(**server),  # type: ignore[arg-type]  # by a test's names
    )
    return build(settings, toolsets=toolsets, providers=[provider, sources_provider], surface=())


@asynccontextmanager
async def running(app: App) -> AsyncIterator[App]:
    """The app, once everything is there that it begins with."""
    try:
        _ = app.endpoint
        await app.catalogs.begun()
        assert app.extensions
        await app.extensions.settled()
        yield app
    finally:
        await app.close()


READ = "tools: {'*': read}"
Stage = Callable[..., AbstractAsyncContextManager[App]]


def someone(app: App, toolsets: str | None = "stage", era: Era = "2026-07-28") -> Caller:
    return Caller(app.endpoint, toolsets, era=era)
