"""Builds what the app is made of, from its settings: once per worker process."""

from __future__ import annotations

import logging
import os
from functools import cache
from typing import Final

from mcp_server.catalog import Catalog, Selection
from mcp_server.endpoint import Endpoint
from mcp_server.gate import LOCAL_HOSTS, LOCAL_ORIGINS, Gate
from mcp_server.server import Identity, build_server
from settings import Settings
from tools import INSTRUCTIONS, SURFACE, TOOLSETS
from tools.services import Services

VERSION: Final = "0.1.0"
# Part of what request states are sealed for: renaming it breaks the ones under way.
SERVER_NAME: Final = "azure-team-mcp"

logger = logging.getLogger(__name__)


@cache
def settings() -> Settings:
    # The SDK says at every stateless request that its session ends.
    logging.getLogger("mcp").setLevel(logging.WARNING)
    return Settings.from_environment(os.environ)


@cache
def catalog() -> Catalog:
    everything = Catalog(TOOLSETS, SURFACE)
    return Catalog(everything.view(Selection(path=settings().toolsets)).toolsets, SURFACE)


@cache
def endpoint() -> Endpoint:
    identity = Identity(SERVER_NAME, "Azure Team MCP", VERSION, INSTRUCTIONS)
    server = build_server(identity, catalog(), Services(), settings().request_state_keys)
    return Endpoint(server, catalog(), gate(settings()))


def gate(of: Settings) -> Gate:
    """On Azure the app answers for its own name, on a laptop for loopback, and for what the settings add."""
    if of.site_name:
        return Gate.of([of.site_name, *of.allowed_hosts], [f"https://{of.site_name}", *of.allowed_origins])
    return Gate.of([*LOCAL_HOSTS, *of.allowed_hosts], [*LOCAL_ORIGINS, *of.allowed_origins])


def health() -> dict[str, object]:
    """What an operator wants to know first."""
    warnings = []
    if settings().site_name and not settings().request_state_keys:
        warnings.append("MCP_REQUEST_STATE_KEY is not set: questions to a client fail when another instance goes on.")
    toolsets = [toolset.name for toolset in catalog().toolsets]
    return {"status": "ok", "version": VERSION, "toolsets": toolsets, "warnings": warnings}
