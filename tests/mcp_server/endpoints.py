"""Endpoints that offer the invented office."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import Any

from changes.approvals import Approvals
from changes.ledger import Ledger
from clients.folder_storage import FolderStorage
from identity.door import OPEN_DOOR, Door
from mcp_server.calls.rationing import Rationing
from mcp_server.catalog.catalog import Catalog
from mcp_server.catalog.catalogs import Catalogs
from mcp_server.catalog.narrowing import confirmed
from mcp_server.conversation import Questions
from mcp_server.declarations.toolset import Toolset
from mcp_server.http.endpoint import Adapters, Endpoint
from mcp_server.http.gate import LOCAL_HOSTS, LOCAL_ORIGINS, Gate
from mcp_server.http.reception import Reception
from mcp_server.server import McpServer, ServerInfo, Services
from mcp_server.view import NOTHING_ABSENT
from mcp_server.visit import Means
from tests.folders import new_folder
from tests.mcp_server import office

# All tests of this folder have to pass with either. The nightly pipeline runs them with the SDK's alone.
ADAPTERS = Adapters(os.environ.get("MCP_ADAPTER", Adapters.BOTH))


def new_endpoint(
    services: Services = nullcontext,
    toolsets: Sequence[Toolset] = office.TOOLSETS,
    door: Door = OPEN_DOOR,
    absent: Mapping[str, str] = NOTHING_ABSENT,
    rationing: Rationing | None = None,
    notice: str = "",
    approvals: Approvals | None = None,
    questions: Questions | None = None,
    adapters: Adapters = ADAPTERS,
) -> Endpoint:
    kept = approvals or approving(grants_of=door.grants_of)
    offered = [confirmed(toolset) for toolset in toolsets] if kept.by_argument else toolsets
    catalogs = Catalogs(Catalog(offered, office.SURFACE, absent))
    return endpoint_of(catalogs, door, services, rationing, notice, kept, questions, adapters)


def endpoint_of(
    catalogs: Catalogs,
    door: Door = OPEN_DOOR,
    services: Services = nullcontext,
    rationing: Rationing | None = None,
    notice: str = "",
    approvals: Approvals | None = None,
    questions: Questions | None = None,
    adapters: Adapters = ADAPTERS,
) -> Endpoint:
    kept = approvals or approving(grants_of=door.grants_of)
    server = McpServer(ServerInfo("office", "Office", "1.2.3", "An office.", notice), services, ["k" * 32])
    return Endpoint(
        server,
        catalogs,
        Reception(Gate.of([*LOCAL_HOSTS, "office.example.com"], LOCAL_ORIGINS), door, rationing or Rationing()),
        means=Means(lambda: kept),
        questions=questions or Questions(),
        adapters=adapters,
    )


def approving(**how: Any) -> Approvals:
    """Changes of the office, kept in a folder that nobody else has, with a page for everybody who signs in."""
    folder = new_folder()
    ledger = Ledger(lambda: FolderStorage(folder))
    return Approvals(**{"ledger": ledger, "page": "{}/changes/{}".format, "by_argument": True, **how})
