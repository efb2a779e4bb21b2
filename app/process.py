"""Sets up the process of an app: logging, the audit file, and the export of metrics."""

from __future__ import annotations

import logging
import sys
from typing import Final

from app.build import VERSION, App
from app.doubts import doubts_about
from app.storage import folder_of
from settings import StorageSettings
from telemetry.metrics import watch_index_age
from tools.azure_updates.access import UPDATES

AUDIT_FILE: Final = "audit.jsonl"

# Loggers that write too many messages, or messages that are too long. The MCP SDK logs the end of a session for every
# stateless request, and the Azure SDKs log each request. The other listed libraries write long messages about invalid
# requests from callers.
LOG_LEVELS: Final = {
    "azure": logging.WARNING,
    "mcp": logging.WARNING,
    "mcp.server.request_state": logging.ERROR,
    "opentelemetry": logging.ERROR,
    "python_multipart": logging.ERROR,
}

# Another thread, for example one that builds a file, may delay the event loop for at most this many seconds.
SECONDS_OF_A_TURN: Final = 0.001

logger = logging.getLogger(__name__)


def start(app: App) -> App:
    """Set up this process to serve the app."""
    quiet_libraries()
    sys.setswitchinterval(SECONDS_OF_A_TURN)
    settings = app.settings
    if settings.monitor.connection:
        _export_telemetry(app)
    logging.getLogger("audit").setLevel(logging.INFO)
    if not settings.place.is_on_azure:
        _write_audit_file(settings.storage)
    for doubt in doubts_about(settings, app.all_providers):
        logger.warning(doubt)
    return app


def _export_telemetry(app: App) -> None:
    from telemetry import export as sending

    settings = app.settings
    sending.start(settings.monitor.connection, name=settings.place.app_name or settings.server.name, version=VERSION)
    watch_index_age(lambda: _seconds_since_sync(app))


def _write_audit_file(settings: StorageSettings) -> None:
    from mcp_server.calls.audit_file import keep_in

    keep_in(folder_of(settings).parent / AUDIT_FILE)


def quiet_libraries() -> None:
    for name, level in LOG_LEVELS.items():
        logging.getLogger(name).setLevel(level)


def _seconds_since_sync(app: App) -> float | None:
    opened = app.providers.if_open(UPDATES)
    return opened.library.seconds_since_sync() if opened else None
