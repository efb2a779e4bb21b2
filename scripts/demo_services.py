"""Serves all services of the demo except Azure, Azure DevOps and updates. Yields the app settings for each service."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, Final

from azure.cosmos import PartitionKey
from azure.cosmos.aio import CosmosClient

from scripts import environment
from tests.fakes.cosmos_data.program import KEY, OLDEST_NODE, cosmos_server
from tests.fakes.metrics.ingestion import ingesting
from tests.fakes.workspaces.git_server import GitServer

FILES: Final = Path(__file__).parent / "demo_files"
# The demo clears the settings of real services by setting them to an empty text. This setting cannot be cleared,
# because an empty text is invalid here.
_WITHOUT_SIGN_IN: Final = {"APPLICATIONINSIGHTS_AUTHENTICATION_STRING": "Authorization=None"}
_TENANT: Final = "bakery"
_ORDERS: Final[tuple[dict[str, Any], ...]] = (
    {"id": "4711", "customer": "Café Lovelace", "status": "stuck", "total": 84.20, "note": "The address is missing."},
    {"id": "4712", "customer": "Hotel Hopper", "status": "baked", "total": 312.00},
    {"id": "4713", "customer": "Café Lovelace", "status": "delivered", "total": 61.50},
    {"id": "4714", "customer": "School of Engineering", "status": "ordered", "total": 127.80},
)

Settings = dict[str, str]


@asynccontextmanager
async def further_services(folder: Path) -> AsyncIterator[Settings]:
    """Serve all services of this module, with their data in a folder. Yield the settings of an app that uses these
    services.
    """
    async with AsyncExitStack() as stack:
        settings = _shelf(folder) | _documents(folder) | _extension(folder)
        ingestion = await stack.enter_async_context(ingesting())
        settings |= {"APPLICATIONINSIGHTS_CONNECTION_STRING": ingestion.connection_string, **_WITHOUT_SIGN_IN}
        if shutil.which("git"):
            settings |= await stack.enter_async_context(_repositories(folder))
        if environment.has_node(OLDEST_NODE):
            settings |= await _records()
        yield settings


def _shelf(folder: Path) -> Settings:
    shelf = shutil.copytree(FILES / "shelf", folder / "shelf")
    return {"RESOURCES_FOLDER": str(shelf)}


def _documents(folder: Path) -> Settings:
    handbook = shutil.copytree(FILES / "handbook", folder / "handbook")
    sources = {"handbook": {"folder": handbook.as_uri(), "roles": ["everyone"]}}
    return {"DOCUMENTS_FILE": _written(folder / "documents.yaml", {"sources": sources})}


def _extension(folder: Path) -> Settings:
    ovens = {
        "description": "The ovens of the bakery and their temperatures.",
        "command": [sys.executable, str(FILES / "oven_extension.py")],
        "tools": {"list_ovens": "read", "set_temperature": "write"},
    }
    return {"EXTENSIONS_FILE": _written(folder / "extensions.yaml", {"extensions": {"ovens": ovens}})}


def _written(file: Path, content: Any) -> str:
    file.write_text(json.dumps(content), encoding="utf-8")  # a YAML parser also reads JSON
    return str(file)


@asynccontextmanager
async def _repositories(folder: Path) -> AsyncIterator[Settings]:
    """Serve a git repository. The handbook's page about releases contains the URL of the repository."""
    (folder / "git").mkdir()
    async with GitServer(folder / "git").serving() as server:
        files = {str(file.relative_to(FILES / "shop")): file.read_text() for file in (FILES / "shop").rglob("*.*")}
        server.repository("shop", files)
        with (folder / "handbook" / "releases.md").open("a", encoding="utf-8") as page:
            page.write(f"\n## Repository\n\nThe source of the shop is at {server.url}/shop.git\n")
        yield {"GIT_HOSTS": "127.0.0.1", "GIT_WORKSPACES_FOLDER": str(folder / "workspaces")}


async def _records() -> Settings:
    """Serve orders in the Cosmos DB emulator, which is installed from npm. Return no settings if the emulator cannot be
    installed.
    """
    try:
        url = cosmos_server()
    except (OSError, subprocess.CalledProcessError):
        return {}
    async with CosmosClient(url, KEY, enable_endpoint_discovery=False) as client:
        database = await client.create_database("bakery")
        orders = await database.create_container("orders", PartitionKey(path="/tenantId"))
        for order in _ORDERS:
            await orders.create_item({"tenantId": _TENANT, **order})
    return {
        "COSMOS_ENDPOINT": url,
        "COSMOS_DATABASE": "bakery",
        "COSMOS_CONTAINERS": "orders",
        "COSMOS_EMULATOR_KEY": KEY,
        "COSMOS_EMULATOR_TENANT": _TENANT,
    }
