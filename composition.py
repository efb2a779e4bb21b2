"""Builds what the app is made of, from its settings: once per worker process."""

from __future__ import annotations

import logging
import os
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pydantic_core import to_json

import devops
import entrance
from clients.storage import Storage
from identity.door import Door
from identity.limits import TooManyRequests
from mcp_server.calls.audit import keep_in
from mcp_server.catalog.catalog import Catalog, Selection, unasked, without
from mcp_server.declarations.toolset import Toolset
from mcp_server.http.endpoint import Endpoint
from mcp_server.http.gate import LOCAL_HOSTS, LOCAL_ORIGINS, Gate
from mcp_server.http.messages import JSON, HttpAnswer, HttpRequest, run
from mcp_server.server import ServerInfo, build_server
from mcp_server.view import why_absent
from refusal import Refusal
from settings import Settings
from telemetry.metrics import watch_index_age
from tools import INSTRUCTIONS, SURFACE, TOOLSETS, azure_updates
from tools.services import Services
from updates.library import Library
from updates.report import Tell, watch_nothing
from updates.showing.guide import freshness_of

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from identity.upstream import Upstream
    from updates.keeping.store import UpdatesStore
    from updates.keeping.sync import UpdatesSync
    from updates.searching.index import Index

VERSION: Final = "0.1.0"
STORAGE_NAME: Final = "updates"
SAMPLE_SIZE: Final = 400
PLAIN_TEXT: Final = "text/plain; charset=utf-8"
AUDIT_FILE: Final = "audit.jsonl"
DEFAULT_FOLDER: Final = ".local/storage"


NOBODY_SIGNS_IN: Final = (
    "AUTH_MODE is none: nobody signs in, so only public toolsets can be used, and only to read. Set AUTH_MODE."
)

logger = logging.getLogger(__name__)

# The MCP SDK says at every stateless request that its session ends, the Azure SDKs tell of each request they send, and
# the others repeat at length what a caller got wrong.
LOG_LEVELS: Final = {
    "azure": logging.WARNING,
    "mcp": logging.WARNING,
    "mcp.server.request_state": logging.ERROR,
    "opentelemetry": logging.ERROR,
}


def start() -> None:
    """Find out whether the app can be what its settings want.

    Raises:
        Refusal: One of them cannot be right.
    """
    quiet_libraries()
    catalog()
    door()
    devops.check(settings())
    if connection := settings().monitor_connection:
        from telemetry import export as sending

        sending.start(connection, name=settings().server_name, version=VERSION)
        watch_index_age(lambda: library().seconds_since_sync() if library.cache_info().currsize else None)
    logging.getLogger("audit").setLevel(logging.INFO)
    if not settings().is_on_azure:
        keep_in(Path(settings().storage_folder or DEFAULT_FOLDER).parent / AUDIT_FILE)
    elif settings().auth_mode == "none":
        logger.warning(NOBODY_SIGNS_IN)


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
        Refusal: A setting names one that there is not.
    """
    toolsets = _chosen("MCP_CONSENT_WAIVED", lambda: unasked(TOOLSETS, settings().consent_waived))
    toolsets = _chosen("MCP_DENIED", lambda: without(toolsets, settings().denied))
    absent = {} if settings().ado_url else devops.ABSENT
    there = Catalog([toolset for toolset in toolsets if not why_absent(toolset.name, absent)], SURFACE, absent)
    wanted = Selection(settings().toolsets, read_only=settings().read_only)
    return Catalog(_chosen("MCP_TOOLSETS", lambda: there.view(wanted).toolsets), SURFACE, absent)


def _chosen(setting: str, toolsets: Callable[[], Sequence[Toolset]]) -> Sequence[Toolset]:
    try:
        chosen = toolsets()
    except Refusal as refusal:
        raise Refusal(f"The setting {setting} is not valid: {refusal}") from None
    if not chosen:
        raise Refusal(f"The setting {setting} is not valid: it leaves no toolset.")
    return chosen


@cache
def door() -> Door:
    """Who is let in, and what for."""
    return entrance.door(settings())


@cache
def upstream() -> Upstream:
    return entrance.upstream(settings())


async def resource_metadata(request: HttpRequest, path: str) -> HttpAnswer:
    """Tell a client how to sign in for what is at this path."""
    if refused := _turned_away(request):
        return refused
    if not entrance.is_resource(path):
        return HttpAnswer(404)
    document = entrance.resources(settings(), request.origin).document(path)
    # Web pages sign in, too, and nothing here is a secret.
    return HttpAnswer(200, to_json(document), {"content-type": JSON, "access-control-allow-origin": "*"})


async def sign_in(request: HttpRequest) -> HttpAnswer:
    """Answer a request to the sign-in bridge."""
    return _turned_away(request) or await run(_bridge(request.origin), request, {})


def _turned_away(request: HttpRequest) -> HttpAnswer | None:
    """The answer to a request that is for somebody else, or one too many."""
    try:
        door().count(request.address)
    except TooManyRequests as limit:
        return HttpAnswer(429, str(limit).encode(), {"content-type": PLAIN_TEXT, "retry-after": str(limit.seconds)})
    return gate(settings()).wrong_host(request)


@lru_cache(maxsize=8)
def _bridge(origin: str) -> ASGIApp:
    return entrance.bridge(settings(), upstream(), origin)


@cache
def endpoint() -> Endpoint:
    identity = ServerInfo(settings().server_name, entrance.NAME, VERSION, INSTRUCTIONS)
    server = build_server(identity, catalog(), services, settings().request_state_keys)
    return Endpoint(server, catalog(), gate(settings()), door())


@asynccontextmanager
async def services() -> AsyncIterator[Services]:
    """What tools act on, from the first request until the process ends."""
    library().begin()
    async with AsyncExitStack() as opened:
        opened.push_async_callback(library().end)
        reach = await opened.enter_async_context(devops.reached(settings(), upstream())) if settings().ado_url else None
        fetch = partial(devops.fetched, settings()) if settings().ado_attachment_hosts else None
        yield Services(library(), reach, fetch)


@cache
def library() -> Library:
    """The updates. What reads and writes them is imported when the first request comes."""
    from updates.searching.index import Index
    from updates.searching.index_format import FORMAT
    from updates.searching.reader import IndexReader

    reader = IndexReader(store(), Index.open, FORMAT)
    return Library(store(), updates_sync(), reader, _sample if settings().updates_sample else None)


@cache
def store() -> UpdatesStore:
    from updates.keeping.store import UpdatesStore

    return UpdatesStore(storage(settings()))


def updates_sync(watch: Tell = watch_nothing) -> UpdatesSync:
    """What brings the store up to the feed; `watch` is told how far it is."""
    from updates.keeping.sync import UpdatesSync
    from updates.reading.feed import UpdatesFeed
    from updates.searching.index_builder import build_index
    from updates.searching.index_format import FORMAT

    feed, limit = UpdatesFeed(settings().updates_url), settings().updates_largest_withdrawal
    return UpdatesSync(feed, store(), build_index, FORMAT, largest_withdrawal=limit, watch=watch)


def _sample() -> Index:
    from updates.changes import StoredUpdate
    from updates.reading.sample import records
    from updates.record import Update
    from updates.searching.index import Index
    from updates.searching.index_builder import build_index

    updates = [StoredUpdate(Update.from_api(record)) for record in records(SAMPLE_SIZE)]
    return Index.open(build_index(updates, {"sample": "true"}))


def storage(of: Settings) -> Storage:
    """The storage account, or a folder where there is none."""
    if of.storage_folder or not (of.storage_connection or of.storage_account):
        from clients.folder_storage import FolderStorage

        return FolderStorage(Path(of.storage_folder or DEFAULT_FOLDER))
    from clients.azure_storage import AzureStorage

    # The platform may add a connection string by itself, which opens nothing where keys are off.
    if not of.storage_account:
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
        names = [of.site_name] if of.site_name else []
        return Gate.of([*names, *of.allowed_hosts], [*(f"https://{name}" for name in names), *of.allowed_origins])
    return Gate.of([*LOCAL_HOSTS, *of.allowed_hosts], [*LOCAL_ORIGINS, *of.allowed_origins])


async def export(request: HttpRequest, form: str, parameters: Mapping[str, str]) -> HttpAnswer:
    """The updates that match, as a file of this form, where updates are offered at all."""
    from updates.showing import exports

    if refused := _turned_away(request):
        return refused
    if azure_updates.toolset.name not in {toolset.name for toolset in catalog().toolsets}:
        return HttpAnswer(404)
    try:
        found = exports.matching(await library().index(), parameters)
    except Refusal as refusal:
        return HttpAnswer(400, str(refusal).encode(), {"content-type": PLAIN_TEXT})
    text, content_type = exports.FORMS[form](found)
    caching = {"cache-control": "public, max-age=300", "x-content-type-options": "nosniff"}
    return HttpAnswer(200, text.encode(), {"content-type": content_type, **caching})


async def health() -> dict[str, object]:
    """What an operator wants to know first."""
    warnings = []
    if settings().is_on_azure and not settings().request_state_keys:
        warnings.append("MCP_REQUEST_STATE_KEY is not set: questions to a client fail when another instance goes on.")
    if settings().is_on_azure and settings().auth_mode == "none":
        warnings.append(NOBODY_SIGNS_IN)
    if settings().auth_mode == "platform" and not settings().platform_signs_in:
        warnings.append("AUTH_MODE is platform, and App Service authentication is off: nobody is let in.")
    of_updates = await library().health()
    return {
        "status": "ok",
        "version": VERSION,
        "toolsets": [toolset.name for toolset in catalog().toolsets],
        "updates": {"totalUpdates": of_updates.total, **freshness_of(of_updates)},
        "warnings": warnings,
    }
