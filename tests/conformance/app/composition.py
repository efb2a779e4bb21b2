"""Builds what the conformance app is made of: the fixtures, on everything that serves the real tools."""

from __future__ import annotations

from contextlib import nullcontext
from functools import cache
from typing import Final

from mcp_server.catalog.catalog import Catalog
from mcp_server.http.endpoint import Endpoint
from mcp_server.http.gate import LOCAL_HOSTS, LOCAL_ORIGINS, Gate
from mcp_server.server import ServerInfo, build_server
from settings import Settings
from tests.conformance.fixtures import TOOLSETS, legacy

_IDENTITY: Final = ServerInfo("conformance", "Conformance fixtures", "1.0.0", "Everything the conformance suite calls.")
_KEY: Final = "only-these-fixtures-are-sealed-with-it"


def start() -> None:
    """What the suite provokes may be read in the log."""


def settings() -> Settings:
    return Settings()


@cache
def catalog() -> Catalog:
    return Catalog(TOOLSETS, surface={tool.name for toolset in TOOLSETS for tool in toolset.tools})


@cache
def endpoint() -> Endpoint:
    server = build_server(_IDENTITY, catalog(), nullcontext, [_KEY])
    legacy.add_handlers(server)
    return Endpoint(server, catalog(), Gate.of(LOCAL_HOSTS, LOCAL_ORIGINS))


async def health() -> dict[str, object]:
    return {"status": "ok"}
