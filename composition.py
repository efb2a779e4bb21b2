"""Builds what the app is made of, from its settings: once per worker process."""

from __future__ import annotations

import logging
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from clients.storage import Storage
from mcp_server.catalog import Catalog, Selection
from mcp_server.endpoint import Endpoint
from mcp_server.exchange import HttpAnswer
from mcp_server.gate import LOCAL_HOSTS, LOCAL_ORIGINS, Gate
from mcp_server.server import Identity, build_server
from refusal import Refusal
from settings import Settings
from tools import INSTRUCTIONS, SURFACE, TOOLSETS
from tools.services import Services
from updates.guide import freshness_of
from updates.library import Library
from updates.report import Tell, watch_nothing

if TYPE_CHECKING:
    from updates.index import Index
    from updates.store import UpdatesStore
    from updates.sync import UpdatesSync

VERSION: Final = "0.1.0"
STORAGE_NAME: Final = "updates"
SAMPLE_SIZE: Final = 400
DEFAULT_FOLDER: Final = ".local/storage"


# The MCP SDK says at every stateless request that its session ends, the Azure SDKs tell of each request they send, and
# the others repeat at length what a caller got wrong.
LOG_LEVELS: Final = {
    "azure": logging.WARNING,
    "mcp": logging.WARNING,
    "mcp.server.request_state": logging.ERROR,
    "opentelemetry": logging.ERROR,
}


def quiet_libraries() -> None:
    for name, level in LOG_LEVELS.items():
        logging.getLogger(name).setLevel(level)


@cache
def settings() -> Settings:
    return Settings.from_environment(os.environ)


@cache
def catalog() -> Catalog:
    """The toolsets that this server offers.

    Raises:
        Refusal: The setting names one that there is not.
    """
    try:
        offered = Catalog(TOOLSETS, SURFACE).view(Selection(path=settings().toolsets))
    except Refusal as refusal:
        raise Refusal(f"The setting MCP_TOOLSETS is not valid: {refusal}") from None
    return Catalog(offered.toolsets, SURFACE)


@cache
def endpoint() -> Endpoint:
    identity = Identity(settings().server_name, "Azure Team MCP", VERSION, INSTRUCTIONS)
    server = build_server(identity, catalog(), services, settings().request_state_keys)
    return Endpoint(server, catalog(), gate(settings()))


@asynccontextmanager
async def services() -> AsyncIterator[Services]:
    """What tools act on, from the first request until the process ends."""
    library().begin()
    try:
        yield Services(updates=library())
    finally:
        await library().end()


@cache
def library() -> Library:
    """The updates. What reads and writes them is imported when the first request comes."""
    from updates.index import Index
    from updates.index_format import FORMAT
    from updates.reader import IndexReader

    reader = IndexReader(store(), Index.open, FORMAT)
    return Library(store(), updates_sync(), reader, _sample if settings().updates_sample else None)


@cache
def store() -> UpdatesStore:
    from updates.store import UpdatesStore

    return UpdatesStore(storage(settings()))


def updates_sync(watch: Tell = watch_nothing) -> UpdatesSync:
    """What brings the store up to the feed; `watch` is told how far it is."""
    from updates.feed import UpdatesFeed
    from updates.index_builder import build_index
    from updates.index_format import FORMAT
    from updates.sync import UpdatesSync

    feed, limit = UpdatesFeed(settings().updates_url), settings().updates_largest_withdrawal
    return UpdatesSync(feed, store(), build_index, FORMAT, largest_withdrawal=limit, watch=watch)


def _sample() -> Index:
    from updates.changes import StoredUpdate
    from updates.index import Index
    from updates.index_builder import build_index
    from updates.record import Update
    from updates.sample import records

    updates = [StoredUpdate(Update.from_api(record)) for record in records(SAMPLE_SIZE)]
    return Index.open(build_index(updates, {"sample": "true"}))


def storage(of: Settings) -> Storage:
    """The storage account, or a folder where there is none."""
    if of.storage_folder or not (of.storage_connection or of.storage_account):
        from clients.folder_storage import FolderStorage

        return FolderStorage(Path(of.storage_folder or DEFAULT_FOLDER))
    from clients.azure_storage import AzureStorage

    if of.storage_connection:
        return AzureStorage.from_connection_string(of.storage_connection, STORAGE_NAME)
    from azure.identity.aio import ManagedIdentityCredential

    account = f"https://{of.storage_account}"
    credential = ManagedIdentityCredential(client_id=of.storage_client_id or None)
    return AzureStorage.from_accounts(
        f"{account}.table.core.windows.net", f"{account}.blob.core.windows.net", credential, STORAGE_NAME
    )


def gate(of: Settings) -> Gate:
    """On Azure the app answers for its own name, on a laptop for loopback, and for what the settings add."""
    if of.is_on_azure:
        return Gate.of([of.site_name, *of.allowed_hosts], [f"https://{of.site_name}", *of.allowed_origins])
    return Gate.of([*LOCAL_HOSTS, *of.allowed_hosts], [*LOCAL_ORIGINS, *of.allowed_origins])


async def export(form: str, parameters: Mapping[str, str]) -> HttpAnswer:
    """The updates that match, as a file of this form."""
    from updates import exports

    try:
        found = exports.matching(await library().index(), parameters)
    except Refusal as refusal:
        return HttpAnswer(400, str(refusal).encode(), {"content-type": "text/plain; charset=utf-8"})
    text, content_type = exports.FORMS[form](found)
    caching = {"cache-control": "public, max-age=300", "x-content-type-options": "nosniff"}
    return HttpAnswer(200, text.encode(), {"content-type": content_type, **caching})


async def health() -> dict[str, object]:
    """What an operator wants to know first."""
    warnings = []
    if settings().is_on_azure and not settings().request_state_keys:
        warnings.append("MCP_REQUEST_STATE_KEY is not set: questions to a client fail when another instance goes on.")
    of_updates = await library().health()
    return {
        "status": "ok",
        "version": VERSION,
        "toolsets": [toolset.name for toolset in catalog().toolsets],
        "updates": {"totalUpdates": of_updates.total, **freshness_of(of_updates)},
        "warnings": warnings,
    }
