"""The conformance app: the fixtures, on everything that serves the real tools."""

from __future__ import annotations

import os
from dataclasses import replace
from tempfile import mkdtemp
from typing import Final

from app.build import App, build
from settings import PlaceSettings, ServerSettings, Settings, StorageSettings
from tests.conformance.fixtures import TOOLSETS, legacy, works

_SETTINGS: Final = Settings(
    server=ServerSettings(
        name="conformance",
        request_state_keys=("only-these-fixtures-are-sealed-with-it",),
        adapter=os.environ.get("MCP_ADAPTER", "both"),
    ),
    place=PlaceSettings(environment="Development"),
    storage=StorageSettings(folder=mkdtemp(prefix="conformance-")),
)


def _conformance_app() -> App:
    """What the suite provokes may be read in the log, so it is not made quiet as the real one is."""
    everything = {tool.name for toolset in TOOLSETS for tool in toolset.tools}
    app = build(_SETTINGS, toolsets=TOOLSETS, providers=(works.provider,), surface=everything)
    vars(app)["server"] = replace(app.server, extend_sdk=legacy.add_handlers)
    return app


APP: Final = _conformance_app()
