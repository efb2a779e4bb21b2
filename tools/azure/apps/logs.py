"""Shows the last log lines of an app, and where its other logs are stored."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Annotated, Any, Final

from clients.azure.apps import parts
from clients.azure.apps.finding import AzureApp, app_called
from clients.azure.client import Azure
from clients.azure.named import Record
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from tools.azure.access import Arm
from tools.azure.apps.app_parameters import OF_APP, AppName
from tools.azure.apps.log_places import LogPlaces, log_places
from tools.azure.shared.answers import Json, answer, at
from tools.azure.shared.parallel_reads import gathered
from tools.azure.shared.parameters import Subscription

part = Part()

_LONGEST_LINE: Final = 300
_MOST_LETTERS: Final = 16_000
_CONSOLE: Final = "console"
_PLACES: Final = "where logs are kept"
_BY_TOOL: Final = "Run one of these queries with query_logs, and pass a workspace as `source`."
_NOWHERE: Final = "No workspace stores the logs of this app. The app's owner can add a diagnostic setting."
_NOT_READ_HERE: Final = (
    "For live streams and files on the app's host, use `az webapp log tail`, `az containerapp logs show` or"
    " `kubectl logs`."
)

Lines = Annotated[int, Field(ge=1, le=200, description="Maximum lines")]


@part.tool(Access.READ, harmless=(*OF_APP, "lines"))
async def show_app_logs(azure: Arm, app: AppName, lines: Lines = 50, subscription: Subscription = None) -> Json:
    """Show the last log lines of a Linux web or function app. For any app, show the workspace that stores its logs.

    Also returns log queries that find console output, failed requests and errors.
    """
    found = await app_called(azure, app, subscription)
    answers, not_read = await gathered(_reads(azure, found))
    places = answers.get(_PLACES) or LogPlaces([])
    return answer(
        lines=_last(str(answers.get(_CONSOLE) or ""), lines),
        files=_files(answers.get("log settings")),
        workspaces=places.workspaces,
        queries=places.queries,
        ask=_BY_TOOL if places.workspaces else (_NOWHERE if _PLACES in answers else None),
        elsewhere=_NOT_READ_HERE,
        notRead=not_read,
    )


def _reads(azure: Azure, app: AzureApp) -> dict[str, Callable[[], Awaitable[Any]]]:
    every: dict[str, Callable[[], Awaitable[Any]]] = {_PLACES: partial(log_places, azure, app)}
    if app.is_site:
        every["log settings"] = partial(parts.log_configuration, azure, app.id)
    if app.is_site and app.properties.get("reserved"):
        every[_CONSOLE] = partial(parts.container_log, azure, app.id)
    return every


def _last(text: str, number: int) -> list[str]:
    """Return the last lines of a text, within a maximum number of lines and a maximum length."""
    found = [line[:_LONGEST_LINE] for line in text.splitlines() if line.strip()][-number:]
    while sum(map(len, found)) > _MOST_LETTERS:
        found.pop(0)
    return found


def _files(record: Record | None) -> Json | None:
    """Return the level of the application log that an app writes to files, and whether requests are logged to files."""
    found = (record or {}).get("properties") or {}
    level = at(found, "applicationLogs.fileSystem.level")
    http = at(found, "httpLogs.fileSystem.enabled")
    return {"application": level, "requests": http} if found else None
